package host

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/seed-d579e5eb/harness/host/bind"
	"github.com/seed-d579e5eb/harness/jsapi"
)

// home is an isolate with the harness's own scripts and the resources that were
// made in it. Incarnations hold it; so does the extension that has resources
// there. It closes with the last holder.
type home struct {
	extension string
	host      *Host
	isolate   *jsapi.Isolate
	scripts   *jsapi.Namespace

	mu        sync.Mutex
	holders   int
	resources []*resource // in the order they were made
	owned     bool        // the extension holds it for its resources
}

// resource is a value kept across reloads.
type resource struct {
	key   string
	owner *jsapi.Owner
	// candidate is the commit that made it while that was loading, until it goes
	// live or another claims the resource; else "".
	candidate string
}

// homes finds the isolates that hold resources of live extensions. The zero value
// is ready to use.
type homes struct {
	mu      sync.Mutex
	kept    map[string]*home // by extension
	running []*home          // every isolate there is, in the order they were made
}

// ownLimit bounds the harness's own modules; only a machine that stands still
// passes it.
const ownLimit = 30 * time.Second

// open gives an extension a fresh isolate, held once: a spare, or a new one.
func (hs *homes) open(ctx context.Context, h *Host, extension string) (made *home, err error) {
	if made = h.spares.take(); made == nil {
		if made, err = h.newHome(ctx); err != nil {
			return nil, fmt.Errorf("make an isolate for extension %s: %w", extension, err)
		}
	}
	made.extension = extension
	made.isolate.Rename(extension)
	hs.mu.Lock()
	defer hs.mu.Unlock()
	hs.running = append(hs.running, made)
	return made, nil
}

// all lists every isolate there is, the newest first.
func (hs *homes) all() []*home {
	hs.mu.Lock()
	defer hs.mu.Unlock()
	list := slices.Clone(hs.running)
	slices.Reverse(list)
	return list
}

func (hs *homes) forget(closed *home) {
	hs.mu.Lock()
	defer hs.mu.Unlock()
	hs.running = slices.DeleteFunc(hs.running, func(in *home) bool { return in == closed })
}

// holding returns the live isolate that has the resources of an extension, held
// for the caller, or nil.
func (hs *homes) holding(extension string) *home {
	hs.mu.Lock()
	defer hs.mu.Unlock()
	kept := hs.kept[extension]
	if kept == nil || kept.isolate.Cause() != nil || len(kept.keys()) == 0 || !kept.retain() {
		return nil
	}
	return kept
}

// keep makes a home the one that has the resources of an extension that is
// current, if it has any. The one before, if another, loses its hold. One that is
// current no longer changes nothing: a newer one has its own.
func (hs *homes) keep(of *extension, in *home) {
	extension := of.name
	hs.mu.Lock()
	if !of.current() {
		hs.mu.Unlock()
		return
	}
	before := hs.kept[extension]
	if in != nil && !in.hold() {
		in = nil
	}
	if before == in {
		hs.mu.Unlock()
		return
	}
	if hs.kept == nil {
		hs.kept = make(map[string]*home)
	}
	if in == nil {
		delete(hs.kept, extension)
	} else {
		hs.kept[extension] = in
	}
	hs.mu.Unlock()
	if before != nil {
		before.letGo()
	}
}

// names lists the extensions that have resources, sorted.
func (hs *homes) names() []string {
	hs.mu.Lock()
	defer hs.mu.Unlock()
	var names []string
	for name := range hs.kept {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// take returns the isolate that has the resources of an extension, which the
// caller gives up, or nil.
func (hs *homes) take(extension string) *home {
	hs.mu.Lock()
	defer hs.mu.Unlock()
	kept := hs.kept[extension]
	delete(hs.kept, extension)
	return kept
}

// giveUp disposes of the resources of an extension and lets its isolate go.
func (in *home) giveUp(ctx context.Context) {
	in.disposeAll(ctx)
	in.letGo()
}

// closeAll disposes of every resource.
func (hs *homes) closeAll(ctx context.Context) {
	for _, name := range hs.names() {
		if kept := hs.take(name); kept != nil {
			kept.giveUp(ctx)
		}
	}
}

func (in *home) retain() bool {
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.holders == 0 {
		return false
	}
	in.holders++
	return true
}

// release gives up one hold; the last closes the isolate, after disposing of what
// resources are left.
func (in *home) release() {
	in.mu.Lock()
	in.holders--
	last := in.holders == 0
	in.mu.Unlock()
	if last {
		in.disposeAll(context.Background())
		in.isolate.Close()
		in.host.homes.forget(in)
	}
}

// hold makes the extension hold the home for its resources, and reports whether
// there are any.
func (in *home) hold() bool {
	in.mu.Lock()
	defer in.mu.Unlock()
	if len(in.resources) == 0 || in.holders == 0 {
		return false
	}
	if !in.owned {
		in.owned = true
		in.holders++
	}
	return true
}

// letGo is the opposite of hold.
func (in *home) letGo() {
	in.mu.Lock()
	owned := in.owned
	in.owned = false
	in.mu.Unlock()
	if owned {
		in.release()
	}
}

// Claim implements [bind.Resources].
func (in *home) Claim(host *bind.Host, key string) {
	in.mu.Lock()
	defer in.mu.Unlock()
	if kept := in.find(key); kept != nil && kept.candidate != host.Generation() {
		kept.candidate = ""
	}
}

// Create implements [bind.Resources].
func (in *home) Create(host *bind.Host, key string) *bind.Host {
	owner := in.isolate.NewResourceOwner(fmt.Sprintf("resource %s of extension %s", key, in.extension))
	made := &resource{key: key, owner: owner}
	if in.host.isLoading(host.Generation()) {
		made.candidate = host.Generation()
	}
	in.mu.Lock()
	in.resources = append(in.resources, made)
	in.mu.Unlock()
	in.host.resourceMade(in)
	return host.ForResource(owner)
}

// Forget implements [bind.Resources].
func (in *home) Forget(host *bind.Host) {
	in.mu.Lock()
	at := slices.IndexFunc(in.resources, func(kept *resource) bool { return host.Owns(kept.owner) })
	if at < 0 {
		in.mu.Unlock()
		return
	}
	forgotten := in.resources[at]
	in.resources = slices.Delete(in.resources, at, at+1)
	in.mu.Unlock()
	forgotten.owner.Close()
}

func (in *home) find(key string) *resource {
	for _, kept := range in.resources {
		if kept.key == key {
			return kept
		}
	}
	return nil
}

// keys lists the resources in the order they were made.
func (in *home) keys() []string {
	in.mu.Lock()
	defer in.mu.Unlock()
	var keys []string
	for _, kept := range in.resources {
		keys = append(keys, kept.key)
	}
	return keys
}

// discard disposes of the resources that only a refused commit claimed.
func (in *home) discard(ctx context.Context, commit string) {
	in.dispose(ctx, func(kept *resource) bool { return kept.candidate == commit })
}

// adopt makes the resources of a commit that went live the extension's own.
func (in *home) adopt(commit string) {
	in.mu.Lock()
	defer in.mu.Unlock()
	for _, kept := range in.resources {
		if kept.candidate == commit {
			kept.candidate = ""
		}
	}
}

func (in *home) disposeAll(ctx context.Context) {
	in.dispose(ctx, func(*resource) bool { return true })
}

// dispose ends the chosen resources, the newest first.
func (in *home) dispose(ctx context.Context, chosen func(*resource) bool) {
	in.mu.Lock()
	var ended []*resource
	in.resources = slices.DeleteFunc(in.resources, func(kept *resource) bool {
		if !chosen(kept) {
			return false
		}
		ended = append(ended, kept)
		return true
	})
	in.mu.Unlock()
	for _, kept := range slices.Backward(ended) {
		in.end(context.WithoutCancel(ctx), kept)
	}
}

// end runs a resource's dispose and closes what belongs to it.
func (in *home) end(ctx context.Context, kept *resource) {
	defer kept.owner.Close()
	if in.isolate.Cause() != nil {
		return
	}
	limit := in.host.options.Limits.Callback
	job := jsapi.Job{
		Owner: kept.owner, Work: "dispose of resource " + kept.key, Running: limit.Running, Whole: limit.Whole, Result: jsapi.AsNothing,
	}
	ctx, ended := until(ctx, in.host.over)
	defer ended()
	if _, err := in.isolate.Call(ctx, job, in.scripts.Method("disposeResource"), kept.key); err != nil {
		in.host.Report(in.extension, err)
	}
}

// resourceMade keeps the isolate of a live extension that has its first resource.
// One of a candidate is kept when that goes live.
func (h *Host) resourceMade(in *home) {
	if own := h.servedBy(in); own != nil {
		h.homes.keep(own, in)
	}
}

// servedBy returns the extension of the current generation that the isolate stands
// behind, or nil.
func (h *Host) servedBy(in *home) *extension {
	member := h.registry.Current().Extension(in.extension)
	if member == nil {
		return nil
	}
	own, ok := member.Extension().(*extension)
	if !ok {
		return nil
	}
	if live := own.live.Load(); live == nil || live.home != in {
		return nil
	}
	return own
}

var _ bind.Resources = (*home)(nil)
