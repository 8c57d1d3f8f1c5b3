/**
 * Why a connection could not be opened, in words that follow the name of the host: by the code of the socket's error.
 */
export const CONNECT_FAULTS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'refused the connection',
  EHOSTUNREACH: 'cannot be reached',
  ENETUNREACH: 'cannot be reached',
  ETIMEDOUT: 'accepted no connection in time',
}
