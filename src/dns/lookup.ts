/**
 * What a look-up came to. A failure is a value too, because what follows from it differs: `absent` is the DNS saying
 * that there is nothing (permanent), `failed` is the DNS not saying anything (temporary). Mail must never be bounced
 * for the second (RFC 5321 5.1).
 */
export type Lookup<T> =
  | { kind: 'found'; records: T[] }
  /** NXDOMAIN: the name does not exist. NODATA: it exists, without records of this type. */
  | { kind: 'absent'; reason: 'NXDOMAIN' | 'NODATA' }
  /** `reason` is the DNS's word for it: SERVFAIL, TIMEOUT, REFUSED, ... */
  | { kind: 'failed'; reason: string }
