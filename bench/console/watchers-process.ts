/**
 * Open pages of the console without browsers. Each follows the stream of changes, and requests its list again when a
 * tick reports more, as a page at the top of its list does.
 */
import type { WatchersOrder, WatchersReport } from './order.ts'

const EVENT_END = '\n\n'

class Watchers {
  readonly #base: string
  readonly #headers: Record<string, string>
  readonly #stop = new AbortController()
  #report: WatchersReport = { ticks: 0, octets: 0, lists: 0 }

  private constructor(base: string, headers: Record<string, string>) {
    this.#base = base
    this.#headers = headers
  }

  static async open({
    url,
    token,
    pages,
  }: Extract<WatchersOrder, { open: object }>['open']): Promise<Watchers> {
    const headers = { 'x-postroad-console': '1', 'content-type': 'application/json' }
    const api = `${url}/console/api`
    const signedIn = await fetch(`${api}/session/link`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ token }),
    })
    if (!signedIn.ok) throw new Error(`the link does not sign in: ${await signedIn.text()}`)
    const me = (await signedIn.json()) as { companies: { id: string }[] }
    const cookie = signedIn.headers
      .getSetCookie()
      .map((set) => set.split(';')[0])
      .join('; ')
    const watchers = new Watchers(`${api}/companies/${me.companies[0]!.id}`, { cookie })
    await Promise.all(Array.from({ length: pages }, () => watchers.#watch()))
    return watchers
  }

  get report(): WatchersReport {
    const report = this.#report
    this.#report = { ticks: 0, octets: 0, lists: 0 }
    return report
  }

  /** Follows the stream of changes. Resolves when its first event has arrived. */
  async #watch(): Promise<void> {
    await this.#list()
    const response = await fetch(`${this.#base}/live`, { headers: this.#headers, signal: this.#stop.signal })
    if (!response.ok || response.body === null) throw new Error(`no stream: ${response.status}`)
    const begun = Promise.withResolvers<void>()
    void this.#follow(response.body, begun.resolve).catch(begun.reject)
    await begun.promise
  }

  async #follow(body: ReadableStream<Uint8Array>, begun: () => void): Promise<void> {
    const decoder = new TextDecoder()
    let text = ''
    for await (const chunk of body) {
      this.#report.octets += chunk.byteLength
      text += decoder.decode(chunk, { stream: true })
      for (let end = text.indexOf(EVENT_END); end >= 0; end = text.indexOf(EVENT_END)) {
        const event = text.slice(0, end)
        text = text.slice(end + EVENT_END.length)
        const data = /^data: ?(.*)$/m.exec(event)?.[1]
        if (data === undefined) continue
        begun()
        // A sign of life has no data to read.
        if (!/^event: changes$/m.test(event)) continue
        this.#report.ticks++
        if ((JSON.parse(data) as { more?: boolean }).more) await this.#list()
      }
    }
  }

  async #list(): Promise<void> {
    this.#report.lists++
    const response = await fetch(`${this.#base}/emails`, { headers: this.#headers })
    await response.arrayBuffer()
    if (!response.ok) throw new Error(`no list: ${response.status}`)
  }
}

// The streams never end by themselves.
process.once('disconnect', () => process.exit())

let watchers: Watchers | null = null
process.on('message', async (order: WatchersOrder) => {
  if ('open' in order) {
    watchers = await Watchers.open(order.open)
    process.send!({ ready: true })
  } else {
    process.send!({ report: watchers!.report })
  }
})
