/** Proxies as another machine would run them, in front of a real mail server. */
import { Jail } from './jail.ts'

/** Where they listen, and the addresses that they connect from. */
export const HAPROXY = { host: '127.0.32.1', port: 2525, from: '127.0.32.7' }
export const MICROSOCKS = { host: '127.0.32.2', port: 1080, from: '127.0.32.8' }
export const LOGIN = { user: 'postroad', password: 'secret' }

/** Connects to the destination of the PROXY header from the source that it names. */
const HAPROXY_FILE = `defaults
  mode tcp
  timeout connect 5s
  retries 0
  timeout client 10m
  timeout server 10m
listen mail-out
  bind ${HAPROXY.host}:${HAPROXY.port} accept-proxy
  source 0.0.0.0 usesrc clientip
  server recipient 0.0.0.0
`

export async function startHaproxy(): Promise<Jail> {
  await using starting = new AsyncDisposableStack()
  const jail = starting.use(new Jail('haproxy', ['usr/sbin/haproxy']))
  jail.write('etc/haproxy.cfg', HAPROXY_FILE)
  await jail.start(['/usr/sbin/haproxy', '-db', '-f', '/etc/haproxy.cfg'], [HAPROXY])
  starting.move()
  return jail
}

export async function startMicrosocks(): Promise<Jail> {
  await using starting = new AsyncDisposableStack()
  const jail = starting.use(new Jail('microsocks', ['usr/bin/microsocks']))
  const { host, port, from } = MICROSOCKS
  const options = ['-i', host, '-p', String(port), '-b', from, '-u', LOGIN.user, '-P', LOGIN.password]
  await jail.start(['/usr/bin/microsocks', ...options], [MICROSOCKS])
  starting.move()
  return jail
}
