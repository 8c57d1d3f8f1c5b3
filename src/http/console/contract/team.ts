/** People: those of a company, those of the installation, and invitations. */
import { ROLES } from '../../../people/person.ts'
import { ID, NAMED, object, TEXT, TEXT_OR_NULL, TIME } from './shapes.ts'

export const ROLE = { enum: ROLES } as const
const ADDRESS = { type: 'string', maxLength: 320 } as const

export const MEMBER = object({ id: TEXT, address: TEXT_OR_NULL, name: TEXT, role: ROLE })

export const INVITATION = object({
  id: TEXT,
  address: TEXT,
  role: ROLE,
  inviter: { description: 'As the inviter was called then; null: the command line.', ...TEXT_OR_NULL },
  createdAt: TIME,
  expiresAt: TIME,
})

export const TEAM = object({
  members: { type: 'array', items: MEMBER },
  invitations: { type: 'array', items: INVITATION, description: 'They have not answered yet.' },
})

export const NEW_INVITATION = object({ address: ADDRESS, role: ROLE })

const LINK = { type: 'string', description: 'Seen this once; it works once.' } as const

export const MADE_INVITATION = object({ invitation: INVITATION, link: LINK })

export const NEW_ROLE = object({ role: ROLE })

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

export const PEOPLE = object({ people: { type: 'array', items: PERSON } })

export const NEW_OPERATOR = object({ address: ADDRESS })

export const OPERATOR_OR_NOT = object({ operator: { type: 'boolean' } })

export const PERSON_LINK = object({ id: TEXT, address: TEXT_OR_NULL, link: LINK, expiresAt: TIME })

/** Path parameters. */
export const MEMBER_PARAMS = object({ company: ID, person: ID })
export const INVITATION_PARAMS = object({ company: ID, invitation: ID })
export const PERSON_PARAMS = object({ person: ID })
