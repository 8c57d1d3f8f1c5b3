import type { Task } from './task.ts'

/** Tasks that wait, by company: companies take turns, each company's tasks go in order. */
export class Turns {
  /** In the order of their turns. */
  readonly #companies = new Map<string, Task[]>()
  #length = 0

  get length(): number {
    return this.#length
  }

  waiting(company: string): number {
    return this.#companies.get(company)?.length ?? 0
  }

  push(task: Task): void {
    const tasks = this.#companies.get(task.company)
    if (tasks === undefined) this.#companies.set(task.company, [task])
    else tasks.push(task)
    this.#length++
  }

  /** Back to where it was taken from: in front of the company's other tasks. */
  unshift(task: Task): void {
    const tasks = this.#companies.get(task.company)
    if (tasks === undefined) this.#companies.set(task.company, [task])
    else tasks.unshift(task)
    this.#length++
  }

  /** The next task of the company whose turn it is among those that may have one. */
  take(mayHaveOne: (company: string) => boolean = () => true): Task | null {
    for (const [company, tasks] of this.#companies) {
      if (!mayHaveOne(company)) continue
      const task = tasks.shift()!
      this.#companies.delete(company)
      if (tasks.length > 0) this.#companies.set(company, tasks)
      this.#length--
      return task
    }
    return null
  }
}
