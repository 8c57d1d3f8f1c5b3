/** The example of docs/architecture/recipes.md ("Add a route") in the JSON dialect: notes on topics, for each company its own. */
import { LINE } from '../../../src/http/bounds.ts'
import type { Endpoint } from '../../../src/http/endpoint.ts'
import { listPage, listSchema, PAGE } from '../../../src/http/json/list.ts'
import { route } from '../../../src/http/route.ts'

const NOTE = {
  type: 'object',
  additionalProperties: false,
  required: ['id', 'text', 'stars'],
  properties: { id: { type: 'string' }, text: { type: 'string' }, stars: { type: 'integer' } },
} as const

/** Newest first. */
const notes = new Map<string, { id: string; text: string; stars: number; companyId: string }[]>()

const addNote = route('POST /topics/:topic/notes', {
  operation: 'note_add',
  access: 'management',
  operationId: 'addNote',
  summary: 'Puts a note on a topic',
  query: { type: 'object', properties: { stars: { type: 'integer', minimum: 1, default: 1 } } },
  body: {
    type: 'object',
    additionalProperties: false,
    required: ['text'],
    properties: { text: { ...LINE, minLength: 1 } },
  },
  status: 201,
  answer: NOTE,
})(async ({ caller, params, query, body }) => {
  const known = notes.get(params.topic) ?? []
  const { companyId } = caller
  const note = { id: `n${known.length + 1}`, text: body.text, stars: query.stars ?? 1, companyId }
  notes.set(params.topic, [note, ...known])
  return note
})

const listNotes = route('GET /topics/:topic/notes', {
  operation: 'note_list',
  access: 'reading',
  operationId: 'listNotes',
  summary: 'Notes on a topic, newest first',
  query: { type: 'object', additionalProperties: false, required: ['limit'], properties: PAGE },
  answer: listSchema(NOTE),
})(async ({ caller, params, query }) => {
  const own = (notes.get(params.topic) ?? []).filter(({ companyId }) => companyId === caller.companyId)
  const at = (id: string) => own.findIndex((note) => note.id === id)
  const body = await listPage(query, async ({ limit, after, before }) => {
    if (before !== undefined) return own.slice(Math.max(0, at(before) - limit), at(before))
    return own.slice(after === undefined ? 0 : at(after) + 1).slice(0, limit)
  })
  return body
})

export const jsonNotes: readonly Endpoint[] = [addNote, listNotes]
