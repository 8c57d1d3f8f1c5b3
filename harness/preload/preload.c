/*
 * Loaded into the nodes of a chaos run before the C library: fails or delays what is written to files of one directory, and moves the
 * wall clock. What it does stands in a file that the run and the library both map, so that it can change at any moment. On request
 * it writes down the path of each file and directory that was synced.
 *
 * The monotonic clocks are left alone: no step of the wall clock moves them.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

/* The same order as in preload.ts. Shares are thousandths, delays microseconds. */
struct control {
  int64_t clock_offset; /* nanoseconds */
  int64_t failing_syncs;
  int64_t failing_writes;
  int64_t sync_delay;
  int64_t clock_reads;
  int64_t failed;
  int64_t delayed;
  int64_t full;
};

static struct control nothing;
static struct control *control = &nothing;
static const char *directory = NULL;
static int synced = -1;

__attribute__((constructor)) static void begin(void) {
  directory = getenv("CHAOS_PRELOAD_DIRECTORY");
  const char *list = getenv("CHAOS_PRELOAD_SYNCED");
  if (list != NULL) synced = open(list, O_WRONLY | O_APPEND | O_CLOEXEC);
  const char *path = getenv("CHAOS_PRELOAD_CONTROL");
  if (path == NULL) return;
  int fd = open(path, O_RDWR | O_CLOEXEC);
  if (fd < 0) return;
  void *at = mmap(NULL, sizeof(struct control), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  close(fd);
  if (at != MAP_FAILED) control = at;
}

static int64_t read_value(int64_t *value) { return __atomic_load_n(value, __ATOMIC_RELAXED); }
static void count(int64_t *value) { __atomic_fetch_add(value, 1, __ATOMIC_RELAXED); }

/* The length of the path of what is open; negative when it has none. */
static ssize_t path_of(int fd, char *path, size_t size) {
  char link[32];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  return readlink(link, path, size);
}

static int concerned(int fd) {
  char path[PATH_MAX];
  if (directory == NULL) return 0;
  ssize_t length = path_of(fd, path, sizeof path - 1);
  if (length < 0) return 0;
  path[length] = 0;
  size_t wanted = strlen(directory);
  return strncmp(path, directory, wanted) == 0 && path[wanted] == '/';
}

static int strikes(int64_t share) {
  static __thread unsigned seed = 0;
  if (share <= 0) return 0;
  if (seed == 0) seed = (unsigned)getpid() ^ (unsigned)(uintptr_t)&seed;
  return rand_r(&seed) % 1000 < share;
}

/* Nonzero: the call is to fail with EIO. */
static int fails(int fd, int64_t *share) {
  int before = errno;
  int struck = strikes(read_value(share)) && concerned(fd);
  errno = before;
  if (struck) {
    count(&control->failed);
    errno = EIO;
  }
  return struck;
}

static void delay(int fd) {
  int64_t us = read_value(&control->sync_delay);
  if (us <= 0) return;
  int before = errno;
  if (concerned(fd)) {
    count(&control->delayed);
    struct timespec wait = {us / 1000000, us % 1000000 * 1000};
    nanosleep(&wait, NULL);
  }
  errno = before;
}

/* One line in one write: threads and processes may share the list. */
static int listed(int fd, int result) {
  char path[PATH_MAX + 1];
  if (synced < 0 || result != 0) return result;
  int before = errno;
  ssize_t length = path_of(fd, path, PATH_MAX);
  if (length > 0) {
    path[length] = '\n';
    syscall(SYS_write, synced, path, (size_t)length + 1);
  }
  errno = before;
  return result;
}

static ssize_t noted(ssize_t result) {
  if (result < 0 && errno == ENOSPC) count(&control->full);
  return result;
}

#define REAL(name) \
  static __typeof__(name) *real = NULL; \
  if (real == NULL) real = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)

int fsync(int fd) {
  REAL(fsync);
  delay(fd);
  return fails(fd, &control->failing_syncs) ? -1 : listed(fd, real(fd));
}

int fdatasync(int fd) {
  REAL(fdatasync);
  delay(fd);
  return fails(fd, &control->failing_syncs) ? -1 : listed(fd, real(fd));
}

ssize_t write(int fd, const void *data, size_t size) {
  REAL(write);
  return fails(fd, &control->failing_writes) ? -1 : noted(real(fd, data, size));
}

ssize_t pwrite(int fd, const void *data, size_t size, off_t at) {
  REAL(pwrite);
  return fails(fd, &control->failing_writes) ? -1 : noted(real(fd, data, size, at));
}

ssize_t pwrite64(int fd, const void *data, size_t size, off64_t at) {
  REAL(pwrite64);
  return fails(fd, &control->failing_writes) ? -1 : noted(real(fd, data, size, at));
}

static int wall(clockid_t clock) { return clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE; }

/* Nanoseconds; negative before 1970, which no run reaches. */
static int64_t shifted(int64_t seconds, int64_t nanoseconds) {
  int64_t offset = read_value(&control->clock_offset);
  if (offset != 0) count(&control->clock_reads);
  return seconds * 1000000000 + nanoseconds + offset;
}

int clock_gettime(clockid_t clock, struct timespec *at) {
  REAL(clock_gettime);
  int result = real == NULL ? (int)syscall(SYS_clock_gettime, clock, at) : real(clock, at);
  if (result == 0 && wall(clock)) {
    int64_t all = shifted(at->tv_sec, at->tv_nsec);
    at->tv_sec = all / 1000000000;
    at->tv_nsec = all % 1000000000;
  }
  return result;
}

int gettimeofday(struct timeval *restrict at, void *restrict zone) {
  struct timespec exact;
  (void)zone;
  int result = clock_gettime(CLOCK_REALTIME, &exact);
  if (result == 0) {
    at->tv_sec = exact.tv_sec;
    at->tv_usec = exact.tv_nsec / 1000;
  }
  return result;
}

time_t time(time_t *at) {
  struct timespec exact;
  if (clock_gettime(CLOCK_REALTIME, &exact) != 0) return (time_t)-1;
  if (at != NULL) *at = exact.tv_sec;
  return exact.tv_sec;
}
