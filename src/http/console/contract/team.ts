/** People: those of a company, those of the installation, and invitations. */
import { ROLES } from '../../../people/person.ts'
import { routes } from './route.ts'
import { DONE, NAMED, object, TEXT, TEXT_OR_NULL, TIME, TIME_OR_NULL } from './shapes.ts'

const ROLE = { enum: ROLES } as const
const ADDRESS = { type: 'string', maxLength: 320 } as const

const MEMBER = object({ id: TEXT, address: TEXT_OR_NULL, name: TEXT, role: ROLE })

export const INVITATION = object({
  id: TEXT,
  address: TEXT,
  role: ROLE,
  inviter: { description: 'As the inviter was called then; null: the command line.', ...TEXT_OR_NULL },
  createdAt: TIME,
  expiresAt: TIME,
})

const TEAM = object({
  members: { type: 'array', items: MEMBER },
  invitations: { type: 'array', items: INVITATION, description: 'They have not answered yet.' },
})

const NEW_INVITATION = object({ address: ADDRESS, role: ROLE })

const LINK = { type: 'string', description: 'Seen this once; it works once.' } as const

const MADE_INVITATION = object({
  invitation: INVITATION,
  link: LINK,
  mailed: { type: 'boolean', description: 'The link was also sent to the address.' },
  nextMailAt: {
    ...TIME_OR_NULL,
    description: 'When one may be mailed again; not null: too many were mailed before.',
  },
})

const NEW_ROLE = object({ role: ROLE })

/** A person as operators see them. */
export const PERSON = object({
  id: TEXT,
  address: TEXT_OR_NULL,
  name: TEXT,
  operator: { type: 'boolean' },
  createdAt: TIME,
  companies: {
    type: 'array',
    items: object({ ...NAMED.properties, role: ROLE }),
  },
})

const PEOPLE = object({ people: { type: 'array', items: PERSON } })

const NEW_OPERATOR = object({ address: ADDRESS })

const OPERATOR_OR_NOT = object({ operator: { type: 'boolean' } })

export const PERSON_LINK = object({ id: TEXT, address: TEXT_OR_NULL, link: LINK, expiresAt: TIME })

export const TEAM_ROUTES = routes('company', {
  'GET /companies/:company/team': { operation: 'team_read', answer: TEAM },
  'POST /companies/:company/team/invitations': {
    operation: 'team_invite',
    body: NEW_INVITATION,
    status: 201,
    answer: MADE_INVITATION,
  },
  'DELETE /companies/:company/team/invitations/:invitation': { operation: 'team_withdraw', answer: DONE },
  'PATCH /companies/:company/team/:person': { operation: 'team_change', body: NEW_ROLE, answer: MEMBER },
  'DELETE /companies/:company/team/:person': { operation: 'team_remove', answer: DONE },
})

export const PEOPLE_ROUTES = routes('operator', {
  'GET /installation/people': { operation: 'people_list', answer: PEOPLE },
  'POST /installation/people': {
    operation: 'people_invite',
    body: NEW_OPERATOR,
    status: 201,
    answer: PERSON_LINK,
  },
  'PATCH /installation/people/:person': { operation: 'people_change', body: OPERATOR_OR_NOT, answer: PERSON },
  'DELETE /installation/people/:person': { operation: 'people_remove', answer: DONE },
  'POST /installation/people/:person/link': { operation: 'people_link', status: 201, answer: PERSON_LINK },
})
