/** A part of a measurement in its own process. It carries out the orders of its `PinnedProcess`, and ends with it. */
export function serveOrders<Order>(work: (order: Order) => unknown): void {
  process.on('message', async (order: Order) => {
    try {
      process.send?.({ report: await work(order) })
    } catch (error) {
      process.send?.({ error: String(error) })
    }
  })
  process.on('disconnect', () => process.exit(0))
}
