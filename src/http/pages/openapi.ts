/** `/openapi.json` and `/docs`: the description of the API, for programs and for people. */
import { readFile } from 'node:fs/promises'
import { type Answer, JSON_TYPE } from '../answer.ts'
import { type Document, readerPage } from './reader.ts'

/** Generated from the schemas of the routes (scripts/openapi.ts). */
const FILE = new URL('../../../docs/openapi.json', import.meta.url)

/** Both are made at the first request: most nodes never get one. */
export class OpenApiPages {
  #document: Promise<Answer> | null = null
  #reader: Promise<Answer> | null = null

  document(): Promise<Answer> {
    this.#document ??= read().then((body) => ({ status: 200, type: JSON_TYPE, body }))
    return this.#document
  }

  reader(): Promise<Answer> {
    this.#reader ??= read().then((text) => readerPage(JSON.parse(text) as Document))
    return this.#reader
  }
}

const read = () => readFile(FILE, 'utf8')
