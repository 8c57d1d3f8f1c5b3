/** A job whose module is loaded only when another thread allows it. */
const channel = new BroadcastChannel('slow-module')
const isLetGo = new Promise((resolve) => {
  channel.onmessage = resolve
})
channel.postMessage('loading')
await isLetGo
channel.close()

export default function perform(): string {
  return 'loaded'
}
