import type { Socket } from 'node:net'
import { connectFault } from '../connect-fault.ts'
import { ProxyFault } from './fault.ts'
import { proxyHeader } from './header.ts'
import type { OutgoingProxy, ProxiedConnection } from './proxy.ts'
import { askSocks } from './socks.ts'

/**
 * Turns a socket that is connecting to the proxy into the connection that the proxy is asked for. `onAnswer` is called
 * when the proxy has answered for the first time. The caller limits the time, and destroys the socket when it is over.
 * Throws ProxyFault.
 *
 * The PROXY protocol has no answers: whether the proxy has reached the server shows when the server greets.
 */
export async function openTunnel(
  socket: Socket,
  proxy: OutgoingProxy,
  wanted: ProxiedConnection,
  onAnswer: () => void,
): Promise<void> {
  await reachProxy(socket)
  switch (proxy.protocol) {
    case 'socks5':
      await askSocks(socket, proxy, wanted, onAnswer)
      break
    case 'proxy':
      onAnswer()
      socket.write(proxyHeader(wanted))
      break
    default:
      proxy.protocol satisfies never
  }
}

/** Waits until the socket is connected. Throws ProxyFault. */
export function reachProxy(socket: Socket): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  socket.once('connect', resolve)
  socket.once('close', () => reject(new ProxyFault('proxy', 'closed the connection')))
  // This listener stays, so that a later error has one.
  socket.on('error', (error: NodeJS.ErrnoException) => {
    reject(new ProxyFault('proxy', connectFault(error.code ?? error.message)))
  })
  return promise
}
