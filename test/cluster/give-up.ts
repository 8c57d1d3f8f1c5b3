import type { Store } from '../../src/store/store.ts'

/** As another node would that no longer hears this one; it goes on beating, so that this may take several tries. */
export async function giveUp(store: Store, token: number): Promise<void> {
  for (;;) {
    const row = (await store.nodes()).find((node) => node.token === token)
    if (row === undefined || (await store.giveUp(token, row.beats))) return
  }
}
