/**
 * The result of a look-up. A failure is a value too, because its consequences differ: `absent` means that DNS says
 * there is nothing (permanent), `failed` that DNS says nothing (temporary). `failed` must never bounce mail (RFC 5321
 * 5.1).
 */
export type Lookup<T> =
  | {
      kind: 'found'
      /** The usable records; there may be none. */
      records: T[]
      /** A trusted resolver has validated the answer (RFC 4035 3.2.3), aliases included. */
      secure?: true
      /** The name at the end of the chain of CNAME records, where the records are. */
      alias?: string
    }
  /** NXDOMAIN: the name does not exist. NODATA: it exists, without records of this type. */
  | { kind: 'absent'; reason: 'NXDOMAIN' | 'NODATA' }
  /** `reason` is the word of DNS: SERVFAIL, TIMEOUT, REFUSED, ... */
  | { kind: 'failed'; reason: string }
