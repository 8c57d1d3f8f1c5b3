/** Tasks that wait for a worker: companies take turns, and so do the parties of a company with its turns. */
import { CompanyTurns } from '../common/company-turns.ts'
import type { Task } from './task.ts'

/** Of a task whose company is one party. */
const WHOLE = ''

export class TaskTurns {
  /** The most tasks of one company that may wait. */
  readonly #most: number
  readonly #parties = new Map<string, CompanyTurns<Task>>()
  /** An item for each task: the tasks of its company, of which the party whose turn it is has the next one. */
  readonly #turns = new CompanyTurns<CompanyTurns<Task>>()

  constructor(most: number) {
    this.#most = most
  }

  get length(): number {
    return this.#turns.length
  }

  /** A party may have half of what a company may if it is alone, and always has room if it has no task yet. */
  hasRoom({ company, party }: Pick<Task, 'company' | 'party'>): boolean {
    const tasks = this.#parties.get(company)
    if (tasks === undefined) return true
    const left = this.#most - tasks.length
    return party === null ? left > 0 : tasks.waiting(party) < left
  }

  push(task: Task): void {
    const tasks = this.#of(task.company)
    tasks.push(task.party ?? WHOLE, task)
    this.#turns.push(task.company, tasks)
  }

  /** Puts a task back to the front of its party's tasks. */
  unshift(task: Task): void {
    const tasks = this.#of(task.company)
    tasks.unshift(task.party ?? WHOLE, task)
    this.#turns.unshift(task.company, tasks)
  }

  #of(company: string): CompanyTurns<Task> {
    let tasks = this.#parties.get(company)
    if (tasks === undefined) {
      tasks = new CompanyTurns()
      this.#parties.set(company, tasks)
    }
    return tasks
  }

  /** The next task of the company whose turn it is, among those that may have one. */
  take(mayHaveOne?: (company: string) => boolean): Task | null {
    const task = this.#turns.take(mayHaveOne)?.take() ?? null
    if (task !== null && this.#turns.waiting(task.company) === 0) this.#parties.delete(task.company)
    return task
  }
}
