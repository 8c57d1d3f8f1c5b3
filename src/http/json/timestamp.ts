/** ISO 8601 with microseconds and a UTC offset, e.g. `2026-11-20T22:55:01.123000+00:00`. `at`: Unix milliseconds. */
export function timestamp(at: number): string {
  return `${new Date(at).toISOString().slice(0, -1)}000+00:00`
}
