/** The same in the form dialect, whose lists are linked by absolute URLs. */
import { LINE, PATH_NAME } from '../../../src/http/bounds.ts'
import { type Endpoint, endpoint } from '../../../src/http/endpoint.ts'

const NOTE = {
  type: 'object',
  additionalProperties: false,
  required: ['text', 'stars'],
  properties: { text: { type: 'string' }, stars: { type: 'integer' } },
} as const

const DOMAIN = { type: 'object', required: ['domain'], properties: { domain: PATH_NAME } } as const

const notes: { text: string; stars: number; companyId: string; domain: string }[] = []

const addNote = endpoint({
  method: 'POST',
  url: '/v3/:domain/notes',
  operation: 'form_note_add',
  access: 'management',
  schema: {
    operationId: 'formAddNote',
    summary: 'Puts a note on a domain',
    params: DOMAIN,
    body: {
      type: 'object',
      additionalProperties: false,
      required: ['text'],
      properties: { text: LINE, stars: { type: 'integer' } },
    },
    response: { 200: { type: 'object', required: ['message'], properties: { message: { type: 'string' } } } },
  },
})(async ({ caller, params, body }) => {
  const { companyId } = caller
  notes.push({ text: body.text, stars: body.stars ?? 1, companyId, domain: params.domain })
  return { status: 200, body: { message: 'Note added' } }
})

const listNotes = endpoint({
  method: 'GET',
  url: '/v3/:domain/notes',
  operation: 'form_note_list',
  access: 'reading',
  schema: {
    operationId: 'formListNotes',
    summary: 'Notes on a domain',
    params: DOMAIN,
    querystring: {
      type: 'object',
      required: ['limit', 'skip'],
      properties: {
        limit: { type: 'integer', minimum: 1, maximum: 1_000, default: 100 },
        skip: { type: 'integer', minimum: 0, default: 0 },
      },
    },
    response: {
      200: {
        type: 'object',
        required: ['items', 'paging'],
        properties: {
          items: { type: 'array', items: NOTE },
          paging: { type: 'object', required: ['next'], properties: { next: { type: 'string' } } },
        },
      },
    },
  },
})(async ({ caller, params, query: { limit, skip }, request }) => {
  const items = notes
    .filter(({ companyId, domain }) => companyId === caller.companyId && domain === params.domain)
    .slice(skip, skip + limit)
  const next = new URL(request.raw.url!, `http://${request.host}`)
  next.searchParams.set('skip', String(skip + items.length))
  return { status: 200, body: { items, paging: { next: next.href } } }
})

export const formNotes: readonly Endpoint[] = [addNote, listNotes]
