/** The same in the form dialect, whose lists are linked by absolute URLs. */
import { LINE } from '../../../src/http/bounds.ts'
import type { Endpoint } from '../../../src/http/endpoint.ts'
import { route } from '../../../src/http/route.ts'

const NOTE = {
  type: 'object',
  additionalProperties: false,
  required: ['text', 'stars'],
  properties: { text: { type: 'string' }, stars: { type: 'integer' } },
} as const

const notes: { text: string; stars: number; companyId: string; domain: string }[] = []

const addNote = route('POST /v3/:domain/notes', {
  operation: 'form_note_add',
  access: 'management',
  operationId: 'formAddNote',
  summary: 'Puts a note on a domain',
  body: {
    type: 'object',
    additionalProperties: false,
    required: ['text'],
    properties: { text: LINE, stars: { type: 'integer' } },
  },
  answer: { type: 'object', required: ['message'], properties: { message: { type: 'string' } } },
})(async ({ caller, params, body }) => {
  const { companyId } = caller
  notes.push({ text: body.text, stars: body.stars ?? 1, companyId, domain: params.domain })
  return { message: 'Note added' }
})

const listNotes = route('GET /v3/:domain/notes', {
  operation: 'form_note_list',
  access: 'reading',
  operationId: 'formListNotes',
  summary: 'Notes on a domain',
  query: {
    type: 'object',
    required: ['limit', 'skip'],
    properties: {
      limit: { type: 'integer', minimum: 1, maximum: 1_000, default: 100 },
      skip: { type: 'integer', minimum: 0, default: 0 },
    },
  },
  answer: {
    type: 'object',
    required: ['items', 'paging'],
    properties: {
      items: { type: 'array', items: NOTE },
      paging: { type: 'object', required: ['next'], properties: { next: { type: 'string' } } },
    },
  },
})(async ({ caller, params, query: { limit, skip }, request }) => {
  const items = notes
    .filter(({ companyId, domain }) => companyId === caller.companyId && domain === params.domain)
    .slice(skip, skip + limit)
  const next = new URL(request.raw.url!, `http://${request.host}`)
  next.searchParams.set('skip', String(skip + items.length))
  return { items, paging: { next: next.href } }
})

export const formNotes: readonly Endpoint[] = [addNote, listNotes]
