/** Why a connection could not be opened, by the code of the socket's error. Each text follows the name of the host. */
export const CONNECT_FAULTS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'refused the connection',
  EHOSTUNREACH: 'cannot be reached',
  ENETUNREACH: 'cannot be reached',
  ETIMEDOUT: 'accepted no connection in time',
}

/** `reason`: the code of an error, or its message. */
export function connectFault(reason: string): string {
  return CONNECT_FAULTS[reason] ?? `cannot be reached: ${reason}`
}
