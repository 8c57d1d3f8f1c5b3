/** What the operations of one transaction changed for those who watch. */
export class Changes {
  accounts = false
  queue = false
  stops = false

  clear(): void {
    this.accounts = false
    this.queue = false
    this.stops = false
  }
}
