package run

import (
	"strings"
)

// systemPath is where programs are looked for after the folder of Options.Programs.
const systemPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

// environment is what every command gets: made, nothing of this process.
func environment(programs, gitConfig, home, temporary string) []EnvVar {
	return []EnvVar{
		{"PATH", programs + ":" + systemPath},
		{"HOME", home},
		{"TMPDIR", temporary},
		{"LANG", "C.UTF-8"},
		{"GIT_CONFIG_SYSTEM", gitConfig},
	}
}

// merged gives the variables in "NAME=value" form; of one name the last value, at the
// place of the first.
func merged(lists ...[]EnvVar) []string {
	var env []string
	at := map[string]int{}
	for _, list := range lists {
		for _, v := range list {
			pair := v.Name + "=" + v.Value
			if i, known := at[v.Name]; known {
				env[i] = pair
				continue
			}
			at[v.Name] = len(env)
			env = append(env, pair)
		}
	}
	return env
}

func lookup(env []string, name string) string {
	for _, pair := range env {
		if key, value, _ := strings.Cut(pair, "="); key == name {
			return value
		}
	}
	return ""
}
