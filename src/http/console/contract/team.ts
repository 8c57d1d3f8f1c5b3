/** People: those of a company, of the installation, and who is invited. */
import { ROLES } from '../../../people/person.ts'
import { NAMED, TEXT, TEXT_OR_NULL, TIME } from './shapes.ts'

export const ROLE = { enum: ROLES } as const
const ADDRESS = { type: 'string', maxLength: 320 } as const

export const MEMBER = {
  type: 'object',
  additionalProperties: false,
  required: ['id', 'address', 'name', 'role'],
  properties: { id: TEXT, address: TEXT_OR_NULL, name: TEXT, role: ROLE },
} as const

export const INVITATION = {
  type: 'object',
  additionalProperties: false,
  required: ['id', 'address', 'role', 'createdAt', 'expiresAt'],
  properties: { id: TEXT, address: TEXT, role: ROLE, createdAt: TIME, expiresAt: TIME },
} as const

export const TEAM = {
  type: 'object',
  additionalProperties: false,
  required: ['members', 'invitations'],
  properties: {
    members: { type: 'array', items: MEMBER },
    invitations: { type: 'array', items: INVITATION, description: 'They have not answered yet.' },
  },
} as const

export const NEW_INVITATION = {
  type: 'object',
  additionalProperties: false,
  required: ['address', 'role'],
  properties: { address: ADDRESS, role: ROLE },
} as const

const LINK = { type: 'string', description: 'Seen this once; it works once.' } as const

export const MADE_INVITATION = {
  type: 'object',
  additionalProperties: false,
  required: ['invitation', 'link'],
  properties: { invitation: INVITATION, link: LINK },
} as const

export const NEW_ROLE = {
  type: 'object',
  additionalProperties: false,
  required: ['role'],
  properties: { role: ROLE },
} as const

/** As operators see somebody. */
export const PERSON = {
  type: 'object',
  additionalProperties: false,
  required: ['id', 'address', 'name', 'operator', 'createdAt', 'companies'],
  properties: {
    id: TEXT,
    address: TEXT_OR_NULL,
    name: TEXT,
    operator: { type: 'boolean' },
    createdAt: TIME,
    companies: {
      type: 'array',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['id', 'name', 'role'],
        properties: { ...NAMED.properties, role: ROLE },
      },
    },
  },
} as const

export const PEOPLE = {
  type: 'object',
  additionalProperties: false,
  required: ['people'],
  properties: { people: { type: 'array', items: PERSON } },
} as const

export const NEW_OPERATOR = {
  type: 'object',
  additionalProperties: false,
  required: ['address'],
  properties: { address: ADDRESS },
} as const

export const OPERATOR_OR_NOT = {
  type: 'object',
  additionalProperties: false,
  required: ['operator'],
  properties: { operator: { type: 'boolean' } },
} as const

export const PERSON_LINK = {
  type: 'object',
  additionalProperties: false,
  required: ['id', 'address', 'link', 'expiresAt'],
  properties: { id: TEXT, address: TEXT_OR_NULL, link: LINK, expiresAt: TIME },
} as const

const ID = { type: 'string', maxLength: 100 } as const
/** Parameters of paths. */
export const OF_MEMBER = {
  type: 'object',
  required: ['company', 'person'],
  properties: { company: ID, person: ID },
} as const
export const OF_INVITATION = {
  type: 'object',
  required: ['company', 'invitation'],
  properties: { company: ID, invitation: ID },
} as const
export const OF_PERSON = { type: 'object', required: ['person'], properties: { person: ID } } as const
