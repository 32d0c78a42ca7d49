package run

import (
	"fmt"
	"os"
	"path"
	"slices"

	"golang.org/x/sys/unix"
)

// enterWorld moves the calling thread into a mount namespace of its own in which the
// world is "/". nested also mounts the kernel's proc there: within a user namespace
// it can only be mounted later where one is to be seen already.
func enterWorld(l layout, nested bool) error {
	if err := unix.Unshare(unix.CLONE_FS | unix.CLONE_NEWNS); err != nil {
		return fmt.Errorf("a mount namespace: %w", err)
	}
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("private mounts: %w", err)
	}
	if err := unix.Mount(l.Root, l.Root, "", unix.MS_BIND|unix.MS_REC, ""); err != nil {
		return fmt.Errorf("mount the world: %w", err)
	}
	if err := restrict(l.Root, unix.MOUNT_ATTR_NOSUID|unix.MOUNT_ATTR_NODEV, unix.AT_RECURSIVE); err != nil {
		return err
	}
	if err := mountBinds(l.Root, l.Binds); err != nil {
		return err
	}
	if err := mountInit(path.Join(l.Root, initRoot), l.Init); err != nil {
		return fmt.Errorf("the host's programs: %w", err)
	}
	if err := mountDevices(path.Join(l.Root, "dev")); err != nil {
		return fmt.Errorf("mount /dev: %w", err)
	}
	if nested {
		const flags = unix.MS_RDONLY | unix.MS_NOSUID | unix.MS_NODEV | unix.MS_NOEXEC
		if err := unix.Mount("proc", path.Join(l.Root, kernelProc), "proc", flags, ""); err != nil {
			return fmt.Errorf("mount proc: %w", err)
		}
	}
	if err := unix.Chdir(l.Root); err != nil {
		return err
	}
	if err := unix.PivotRoot(".", "."); err != nil {
		return fmt.Errorf("pivot_root: %w", err)
	}
	if err := unix.Unmount(".", unix.MNT_DETACH); err != nil {
		return fmt.Errorf("leave the host's mounts: %w", err)
	}
	return unix.Chdir("/")
}

func mountBinds(root string, binds []bind) error {
	for _, b := range binds {
		at := path.Join(root, b.Target)
		if err := refuseLinks(at); err != nil {
			return fmt.Errorf("mount %s: %w", b.Target, err)
		}
		if err := unix.Mount(b.Source, at, "", unix.MS_BIND|unix.MS_REC, ""); err != nil {
			return fmt.Errorf("mount %s: %w", b.Target, err)
		}
		if err := restrict(at, unix.MOUNT_ATTR_RDONLY|unix.MOUNT_ATTR_NOSUID|unix.MOUNT_ATTR_NODEV, unix.AT_RECURSIVE); err != nil {
			return err
		}
	}
	return nil
}

// refuseLinks refuses a path with a symbolic link in it. The world may have put one
// where the harness is going to trust what is mounted.
func refuseLinks(at string) error {
	how := unix.OpenHow{Flags: unix.O_PATH | unix.O_CLOEXEC, Resolve: unix.RESOLVE_NO_SYMLINKS}
	fd, err := unix.Openat2(unix.AT_FDCWD, at, &how)
	if err != nil {
		return err
	}
	return unix.Close(fd)
}

// mountInit makes the root of process 1: the host's programs and libraries, and a
// place for proc.
func mountInit(root string, binds []bind) error {
	if err := unix.Mount("tmpfs", root, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, "mode=755"); err != nil {
		return err
	}
	if err := os.Mkdir(path.Join(root, "proc"), 0o755); err != nil {
		return err
	}
	for _, b := range binds {
		if err := os.Mkdir(path.Join(root, b.Target), 0o755); err != nil {
			return err
		}
	}
	if err := mountBinds(root, binds); err != nil {
		return err
	}
	return restrict(root, unix.MOUNT_ATTR_RDONLY, 0)
}

// restrict adds attributes to a mount; with unix.AT_RECURSIVE to those below it too.
func restrict(at string, attributes uint64, flags uint) error {
	if err := unix.MountSetattr(unix.AT_FDCWD, at, flags, &unix.MountAttr{Attr_set: attributes}); err != nil {
		return fmt.Errorf("mount_setattr (Linux 5.12): %w", err)
	}
	return nil
}

func mountDevices(dev string) error {
	if err := refuseLinks(dev); err != nil {
		return err
	}
	if err := unix.Mount("tmpfs", dev, "tmpfs", unix.MS_NOSUID|unix.MS_NOEXEC, "mode=755"); err != nil {
		return err
	}
	for _, name := range deviceNames() {
		source, at := path.Join("/dev", name), path.Join(dev, name)
		if _, err := os.Stat(source); err != nil {
			continue
		}
		if err := os.WriteFile(at, nil, 0o666); err != nil {
			return err
		}
		if err := unix.Mount(source, at, "", unix.MS_BIND, ""); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	for _, link := range deviceLinks() {
		if err := os.Symlink(link[1], path.Join(dev, link[0])); err != nil {
			return err
		}
	}
	shared, terminals := path.Join(dev, "shm"), path.Join(dev, "pts")
	if err := os.Mkdir(shared, 0o755); err != nil {
		return err
	}
	if err := unix.Mount("tmpfs", shared, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, "mode=1777"); err != nil {
		return err
	}
	if err := os.Mkdir(terminals, 0o755); err != nil {
		return err
	}
	// A kernel without pseudo-terminals still runs nearly everything.
	_ = unix.Mount("devpts", terminals, "devpts", unix.MS_NOSUID|unix.MS_NOEXEC, "newinstance,ptmxmode=0666,mode=620")
	return restrict(dev, unix.MOUNT_ATTR_RDONLY, 0)
}

// keptCapabilities (capabilities(7)) are what a root of a world has: nothing with
// which it could undo read-only mounts, make devices or reach other processes.
func keptCapabilities() []uintptr {
	return []uintptr{
		unix.CAP_CHOWN, unix.CAP_DAC_OVERRIDE, unix.CAP_FOWNER, unix.CAP_FSETID, unix.CAP_KILL,
		unix.CAP_SETGID, unix.CAP_SETUID, unix.CAP_SETPCAP, unix.CAP_NET_BIND_SERVICE,
		unix.CAP_NET_RAW, unix.CAP_SYS_CHROOT, unix.CAP_AUDIT_WRITE, unix.CAP_SETFCAP,
	}
}

// dropCapabilities limits what programs started by the calling thread can get. The
// thread itself keeps what it has.
func dropCapabilities() error {
	kept := keptCapabilities()
	for capability := uintptr(0); ; capability++ {
		if slices.Contains(kept, capability) {
			continue
		}
		err := unix.Prctl(unix.PR_CAPBSET_DROP, capability, 0, 0, 0)
		if err == unix.EINVAL {
			return nil // past the last that the kernel knows
		}
		if err != nil {
			return fmt.Errorf("drop capability %d: %w", capability, err)
		}
	}
}
