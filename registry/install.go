package registry

import (
	"fmt"
	"slices"
	"strings"
)

// InstallError says that an extension cannot be installed: the registry would not be
// valid with it.
type InstallError struct {
	Extension string
	Problems  []Problem // those that refuse it
}

func (e *InstallError) Error() string {
	list := make([]string, len(e.Problems))
	for i, p := range e.Problems {
		list[i] = p.String()
	}
	return fmt.Sprintf("install extension %s: %s", e.Extension, strings.Join(list, "; "))
}

// NotInstalledError says that no extension of a name was installed at run time.
type NotInstalledError struct{ Extension string }

func (e *NotInstalledError) Error() string {
	return fmt.Sprintf("uninstall extension %s: no extension of this name was installed at run time; those of a commit leave with the commit", e.Extension)
}

// Install adds an extension at run time, behind those of the commit, or in the place
// of the one of its name. It makes a generation of the same members and this one
// current, and returns the generation before, which drains and which the caller
// closes, as [Registry.Promote] does. What goes on keeps the generation it holds.
//
// The extension stays until [Registry.Uninstall] or, when it came from the
// repository, until the next commit goes live. An extension of the commit whose place
// it took comes back then. [Generation.Open] opens it; the last generation that has
// it closes it.
//
// Everything is validated as it would be. The error is an [*InstallError]; nothing
// has changed then, and the instance is still the caller's.
func (r *Registry) Install(extension Extension, instance *Instance) (previous *Generation, err error) {
	m := newMember(extension, instance, nil)
	r.promoting.Lock()
	defer r.promoting.Unlock()
	list := r.Current().Installed()
	if i := memberIndex(list, m.Name()); i >= 0 {
		list[i] = m
	} else {
		list = append(list, m)
	}
	previous, err = r.reinstall(m.Name(), list)
	if err == nil {
		m.refs.Add(-1) // who installs holds it no longer
	}
	return previous, err
}

// Uninstall takes out an extension that was installed at run time, and returns the
// generation before, as [Registry.Install] does. The error is a
// [*NotInstalledError], or an [*InstallError] when what is left would not be valid.
func (r *Registry) Uninstall(name string) (previous *Generation, err error) {
	return r.uninstall(name, func(m *Member) bool { return m.Name() == name })
}

// UninstallThis is Uninstall of one extension, not of another that was installed under
// its name.
func (r *Registry) UninstallThis(extension Extension) (previous *Generation, err error) {
	return r.uninstall(extension.Manifest().Name, func(m *Member) bool { return m.Extension() == extension })
}

func (r *Registry) uninstall(name string, is func(*Member) bool) (previous *Generation, err error) {
	r.promoting.Lock()
	defer r.promoting.Unlock()
	list := r.Current().Installed()
	i := slices.IndexFunc(list, is)
	if i < 0 {
		return nil, &NotInstalledError{Extension: name}
	}
	return r.reinstall(name, slices.Delete(list, i, i+1))
}

// reinstall makes a generation with another list of installed extensions current.
func (r *Registry) reinstall(changed string, installed []*Member) (previous *Generation, err error) {
	next, fatal := r.derive(r.Current(), installed)
	if len(fatal) > 0 {
		return nil, &InstallError{Extension: changed, Problems: fatal}
	}
	for _, m := range next.all() {
		m.refs.Add(1)
	}
	next.units.stage = promoted
	return r.swap(next), nil
}

// derive validates the members of base's commit with those installed. The generation
// is of use only without a fatal problem, and holds nobody yet.
func (r *Registry) derive(base *Generation, installed []*Member) (next *Generation, fatal []Problem) {
	members := base.commitMembers
	for _, m := range installed {
		members = members.with(m)
	}
	v := &validation{registry: r, commit: base.commit}
	next = v.build(members)
	next.commitMembers, next.installed = base.commitMembers, installed
	next.outside, next.warnings = base.outside, v.problems
	for _, p := range v.problems {
		if p.Fatal() {
			fatal = append(fatal, p)
		}
	}
	return next, fatal
}

// with is the arrangement with one more member, which takes the place of that of its
// name, or the last one.
func (a arrangement) with(m *Member) arrangement {
	i := memberIndex(a.members, m.Name())
	if i < 0 {
		return arrangement{append(slices.Clip(a.members), m), a.replaced}
	}
	members := slices.Clone(a.members)
	members[i] = m
	return arrangement{members, append(slices.Clip(a.replaced), a.members[i])}
}

func memberIndex(list []*Member, name string) int {
	return slices.IndexFunc(list, func(m *Member) bool { return m.Name() == name })
}

// carryInstalled puts what was installed into a staged generation, which nobody uses
// yet.
func (r *Registry) carryInstalled(next *Generation) {
	for _, m := range r.Current().installed {
		if m.manifest.Source == SourceWorld {
			continue
		}
		derived, fatal := r.derive(next, append(next.Installed(), m))
		if len(fatal) > 0 {
			r.report(attributed(m, "install", &InstallError{Extension: m.Name(), Problems: fatal}))
			continue
		}
		next.content = derived.content
		m.refs.Add(1)
	}
}
