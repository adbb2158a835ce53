// Preloaded: this Node behaves like one without process.execve, such as Node 20.

delete process.execve;
