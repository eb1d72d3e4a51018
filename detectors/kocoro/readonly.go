package kocoro

import (
	"encoding/json"
	"slices"
	"strings"
)

// This file says which calls only read, as Kocoro decides it since August 2026: the
// rules about outcomes apply to those alone.

// readers only read, whatever their arguments.
var readers = names("file_read", "grep", "glob", "directory_list", "think", "screenshot", "wait", "current_time",
	"calculate", "system_info", "session_search", "archive_inspect", "list_published_files",
	"discover_installable_skills", "tool_search", "use_skill", "ask_user_question", "set_work_plan")

// readActions are tools that only read under some values of their argument "action".
var readActions = map[string]map[string]bool{
	"accessibility": names("read_tree", "annotate", "find", "get_value"),
	"clipboard":     names("read"),
	"computer_use":  names("get_app_state", "get_value", "screenshot", "wait"),
	"process":       names("list", "ports"),
}

// An origin is where a tool comes from.
type origin string

const (
	local origin = ""
	mcp   origin = "mcp"
)

// loopReadOnly is Kocoro's decision for a known tool. reads is the tool's own
// test, and effect whether it has a material side effect; nil where it has no
// such test.
func loopReadOnly(name string, from origin, reads, effect *bool) bool {
	switch {
	case reads != nil && *reads:
		return true
	case from == mcp:
		return name == "browser_snapshot" || isReadMCPNameAtHead(name)
	case from != local:
		return false // server-side tools
	case name == "browser_snapshot":
		return true
	}
	return effect != nil && !*effect
}

// isReadOnly decides for a call of a recording. MCP tools go by their own name,
// without the server.
func isReadOnly(t *tool, args []byte, webReads bool) bool {
	if t.mcpPart != "" {
		return loopReadOnly(t.mcpPart, mcp, nil, nil)
	}
	reads := readers[t.name] || t.family == web && webReads
	if actions := readActions[t.name]; actions != nil {
		var v struct {
			Action string `json:"action"`
		}
		reads = json.Unmarshal(args, &v) == nil && actions[v.Action]
	}
	if t.name == "bash" {
		var v struct {
			Command string `json:"command"`
		}
		reads = json.Unmarshal(args, &v) == nil && commandReadsOnly(v.Command)
	}
	return loopReadOnly(t.name, local, &reads, nil)
}

// minted are words that mark a "get" as one that hands out or uses up something.
var minted = names("token", "tokens", "lock", "locks", "lease", "leases", "nonce", "otp", "credential", "credentials",
	"secret", "secrets", "ticket", "tickets")

// isReadMCPNameAtHead is isReadMCPName without the getters that mint something:
// they must keep the strict budget.
func isReadMCPNameAtHead(name string) bool {
	if !isReadMCPName(name) {
		return false
	}
	words := mcpWords(name)
	for i, w := range words {
		next := ""
		if i+1 < len(words) {
			next = words[i+1]
		}
		switch {
		case minted[w],
			w == "next" && slices.Contains([]string{"task", "job", "message", "item"}, next),
			next == "url" && slices.Contains([]string{"upload", "signed", "presigned"}, w):
			return false
		}
	}
	return true
}

// shellSyntax is what a command that only reads must not contain.
var shellSyntax = []string{"&&", "||", ">>", "<<", "$(", "`", ";", "|", "&", ">", "<", "(", ")", "$", "\n", "\r"}

// commandReadsOnly reports whether a shell command is one simple call of a
// program that only reads.
func commandReadsOnly(command string) bool {
	command = strings.TrimSpace(command)
	for _, s := range shellSyntax {
		if strings.Contains(command, s) {
			return false
		}
	}
	words := strings.Fields(command)
	if len(words) == 0 {
		return false
	}
	test := readCommands[words[0]]
	return test != nil && test(words[1:])
}

// readCommands are the programs that may only read, each with the test that its
// arguments must pass.
var readCommands = map[string]func(args []string) bool{
	"ls": always, "pwd": always, "which": always, "type": always, "echo": always, "printenv": always, "whoami": always,
	"id": always, "uname": always, "true": always, "false": always,
	"cat": noDevice, "head": noDevice, "wc": noDevice, "stat": noDevice, "file": noDevice,
	"tail":     func(args []string) bool { return noDevice(args) && !slices.ContainsFunc(args, follows) },
	"env":      func(args []string) bool { return len(args) == 0 },
	"date":     func(args []string) bool { return all(args, func(a string) bool { return strings.HasPrefix(a, "+") }) },
	"hostname": func(args []string) bool { return all(args, isFlag) },
	"node":     version, "python": version, "python3": version,
	"go":  goReads,
	"git": gitReads,
}

func always([]string) bool { return true }

func isFlag(a string) bool { return strings.HasPrefix(a, "-") }

func all(args []string, ok func(string) bool) bool {
	return !slices.ContainsFunc(args, func(a string) bool { return !ok(a) })
}

func follows(a string) bool {
	return a == "-f" || a == "-F" || a == "--follow" || strings.HasPrefix(a, "--follow=")
}

// noDevice: reading one of these never ends.
func noDevice(args []string) bool {
	return all(args, func(a string) bool {
		return isFlag(a) || a != "/dev/random" && a != "/dev/urandom" && a != "/dev/zero" && !strings.HasPrefix(a, "/dev/tty")
	})
}

func version(args []string) bool {
	return len(args) == 1 && (args[0] == "--version" || args[0] == "-V" || args[0] == "-v")
}

func goReads(args []string) bool {
	if len(args) == 0 {
		return false
	}
	switch args[0] {
	case "version", "list", "doc":
		return true
	case "env":
		return all(args[1:], func(a string) bool {
			return a != "-w" && a != "-u" && !strings.HasPrefix(a, "-w=") && !strings.HasPrefix(a, "-u=")
		})
	}
	return false
}

func gitReads(args []string) bool {
	args, ok := gitSubcommand(args)
	if !ok || len(args) == 0 {
		return false
	}
	rest := args[1:]
	switch args[0] {
	case "status", "rev-parse", "describe", "ls-files", "ls-tree":
		return true
	case "log", "diff", "show", "blame":
		return all(rest, func(a string) bool {
			return a != "--output" && !strings.HasPrefix(a, "--output=") && a != "--ext-diff"
		})
	case "config":
		return slices.ContainsFunc(rest, func(a string) bool {
			return slices.Contains([]string{"--get", "--list", "--get-all", "--get-regexp", "--get-urlmatch", "--get-color",
				"-l"}, a)
		})
	case "branch":
		return all(rest, func(a string) bool {
			return isFlag(a) && !slices.Contains([]string{"-d", "-D", "-m", "-M", "-c", "-C"}, a)
		})
	case "remote":
		return len(rest) == 0 || slices.Contains([]string{"-v", "--verbose", "show", "get-url"}, rest[0])
	case "reflog":
		return len(rest) == 0 || rest[0] == "show"
	case "stash":
		return len(rest) > 0 && rest[0] == "list"
	}
	return false
}

// gitSubcommand skips git's global options. An option it does not know is left
// standing, and is then no subcommand.
func gitSubcommand(args []string) (rest []string, ok bool) {
	for len(args) > 0 && isFlag(args[0]) {
		switch a := args[0]; {
		case slices.Contains([]string{"-P", "--no-pager", "--literal-pathspecs", "--no-replace-objects", "--bare"}, a),
			strings.HasPrefix(a, "--git-dir="), strings.HasPrefix(a, "--work-tree="), strings.HasPrefix(a, "--exec-path="):
			args = args[1:]
		case slices.Contains([]string{"-C", "--git-dir", "--work-tree", "--exec-path", "-c"}, a):
			if len(args) < 2 {
				return nil, false
			}
			args = args[2:]
		default:
			return args, true
		}
	}
	return args, true
}
