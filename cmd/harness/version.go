package main

import (
	"runtime"
	"runtime/debug"
)

type versionCommand struct {
	JSON bool `name:"json" help:"Print it as JSON."`
}

// Help implements [kong.HelpProvider].
func (*versionCommand) Help() string {
	return `Example:

    harness version --json`
}

// version describes the binary.
type version struct {
	Version  string `json:"version"`            // of the module, "(devel)" when it was built from a checkout
	Revision string `json:"revision,omitempty"` // the commit it was built from
	Modified bool   `json:"modified,omitempty"` // there were changes beside the commit
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

func readVersion() version {
	v := version{Version: "(devel)", Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return v
	}
	if info.Main.Version != "" {
		v.Version = info.Main.Version
	}
	for _, setting := range info.Settings {
		switch setting.Key {
		case "vcs.revision":
			v.Revision = setting.Value
		case "vcs.modified":
			v.Modified = setting.Value == "true"
		}
	}
	return v
}

// Run shows the version.
func (c *versionCommand) Run(p *program) error {
	v := readVersion()
	if c.JSON {
		return printJSON(p.out, v)
	}
	p.say("harness %s, %s, %s", v.Version, v.Go, v.Platform)
	return nil
}
