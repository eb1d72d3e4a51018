package kocoro_test

import (
	"encoding/json"
	"slices"
	"strings"
)

// OutcomeSignature identifies a whole result. JSON is the same however it is written.
func OutcomeSignature(text string) string {
	var v any
	if json.Unmarshal([]byte(text), &v) == nil {
		if b, err := json.Marshal(v); err == nil {
			return HashArgs(string(b))
		}
	}
	return HashArgs(text)
}

// IsLoopReadOnly reports whether a call only looks. The source is "mcp", "gateway", "integration" or another
// word, and empty if the tool is unknown; readOnlyChecker and materialSideEffect are what the tool says of the
// call, nil if it does not say.
func IsLoopReadOnly(name, source string, readOnlyChecker, materialSideEffect *bool) bool {
	if source == "" {
		return false
	}
	if readOnlyChecker != nil && *readOnlyChecker {
		return true
	}
	switch source {
	case "mcp":
		return name == "browser_snapshot" || IsReadMCPNameHead(name)
	case "gateway", "integration":
		return false
	}
	if name == "browser_snapshot" {
		return true
	}
	if materialSideEffect != nil {
		return !*materialSideEffect
	}
	return false
}

// BashCommandReadOnly reports whether a shell command is one plain command that only looks.
func BashCommandReadOnly(command string) bool {
	command = strings.TrimSpace(command)
	if command == "" {
		return false
	}
	for _, s := range []string{"&&", "||", ">>", "<<", "$(", "`", ";", "|", "&", ">", "<", "(", ")", "$", "\n", "\r"} {
		if strings.Contains(command, s) {
			return false
		}
	}
	words := strings.Fields(command)
	args := words[1:]
	switch words[0] {
	case "ls", "pwd", "which", "type", "echo", "printenv", "whoami", "id", "uname", "true", "false":
		return true
	case "cat", "head", "wc", "stat", "file":
		return !slices.ContainsFunc(args, isBlockingDevice)
	case "tail":
		return !slices.ContainsFunc(args, isBlockingDevice) && !slices.ContainsFunc(args, func(a string) bool {
			return a == "-f" || a == "-F" || a == "--follow" || strings.HasPrefix(a, "--follow=")
		})
	case "env":
		return len(args) == 0
	case "date":
		return all(args, func(a string) bool { return strings.HasPrefix(a, "+") })
	case "hostname":
		return all(args, isFlag)
	case "node", "python", "python3":
		return len(args) == 1 && slices.Contains([]string{"--version", "-V", "-v"}, args[0])
	case "go":
		return goReadOnly(args)
	case "git":
		return gitReadOnly(args)
	}
	return false
}

func all(args []string, is func(string) bool) bool {
	for _, a := range args {
		if !is(a) {
			return false
		}
	}
	return true
}

func isFlag(arg string) bool { return strings.HasPrefix(arg, "-") }

func isBlockingDevice(arg string) bool {
	switch arg {
	case "/dev/random", "/dev/urandom", "/dev/zero":
		return true
	}
	return strings.HasPrefix(arg, "/dev/tty")
}

func goReadOnly(args []string) bool {
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

func gitReadOnly(args []string) bool {
	args, ok := gitCommand(args)
	if !ok {
		return false
	}
	command, args := args[0], args[1:]
	switch command {
	case "status", "rev-parse", "describe", "ls-files", "ls-tree":
		return true
	case "log", "diff", "show", "blame":
		return all(args, func(a string) bool {
			return a != "--output" && !strings.HasPrefix(a, "--output=") && a != "--ext-diff"
		})
	case "config":
		return slices.ContainsFunc(args, func(a string) bool {
			return slices.Contains([]string{"--get", "--list", "--get-all", "--get-regexp", "--get-urlmatch", "--get-color", "-l"}, a)
		})
	case "branch":
		return all(args, func(a string) bool {
			return isFlag(a) && !slices.Contains([]string{"-d", "-D", "-m", "-M", "-c", "-C"}, a)
		})
	case "remote":
		return len(args) == 0 || slices.Contains([]string{"-v", "--verbose", "show", "get-url"}, args[0])
	case "reflog":
		return len(args) == 0 || args[0] == "show"
	case "stash":
		return len(args) > 0 && args[0] == "list"
	}
	return false
}

// gitCommand skips git's own options. What is left begins with the subcommand; false if there is none.
func gitCommand(args []string) ([]string, bool) {
	for len(args) > 0 && isFlag(args[0]) {
		switch args[0] {
		case "-P", "--no-pager", "--literal-pathspecs", "--no-replace-objects", "--bare":
			args = args[1:]
			continue
		case "-C", "--git-dir", "--work-tree", "--exec-path", "-c":
			if len(args) < 2 {
				return nil, false
			}
			args = args[2:]
			continue
		}
		glued := false
		for _, option := range []string{"--git-dir=", "--work-tree=", "--exec-path="} {
			glued = glued || strings.HasPrefix(args[0], option)
		}
		if !glued {
			break
		}
		args = args[1:]
	}
	return args, len(args) > 0
}
