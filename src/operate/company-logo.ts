/** The logo of a company, which its people see beside its name. */
import { createHash } from 'node:crypto'
import type { Company } from '../accounts/account.ts'
import { type CompanyLogo, MAX_OCTETS, MAX_PIXELS, pictureSize } from '../accounts/company-logo.ts'
import { OperateError } from './error.ts'
import { findCompany } from './find.ts'
import { numberText } from './number-text.ts'
import { verb } from './verb.ts'

/** @param input.company name or id */
export const showLogo = verb(
  'see',
  async (op, input: { company: string }): Promise<CompanyLogo & { digest: string | undefined }> => {
    const { id, name, logo: digest } = findCompany(op, input.company)
    const logo = await op.store.findLogo(id)
    if (logo === null) throw new OperateError('not_found', `"${name}" has no logo`)
    return { ...logo, digest }
  },
)

/** @param input.octets a PNG, JPEG or WebP file */
export const setLogo = verb(
  'own',
  async (op, input: { company: string; octets: Uint8Array }): Promise<Company> => {
    const company = findCompany(op, input.company)
    const { octets } = input
    const type = checkedType(octets)
    const digest = createHash('sha256').update(octets).digest('hex').slice(0, 16)
    await op.store.setLogo(company.id, digest, { type, octets })
    return { ...company, logo: digest }
  },
  {
    action: 'setLogo',
    note: ({ company, octets }, changed) => ({
      ...(changed === null ? { target: company } : { target: changed.name, companyId: changed.id }),
      detail: { octets: octets.byteLength },
    }),
  },
)

export const removeLogo = verb(
  'own',
  async (op, input: { company: string }): Promise<Company> => {
    const { logo, ...company } = findCompany(op, input.company)
    if (logo === undefined) throw new OperateError('nothing_to_do', `"${company.name}" has no logo`)
    await op.store.removeLogo(company.id)
    return company
  },
  {
    action: 'removeLogo',
    note: ({ company }, changed) =>
      changed === null ? { target: company } : { target: changed.name, companyId: changed.id },
  },
)

function checkedType(octets: Uint8Array): string {
  if (octets.byteLength > MAX_OCTETS)
    throw invalid(`it has ${numberText(octets.byteLength)} bytes; ${MAX_OCTETS / 1024} KiB are allowed`)
  const size = pictureSize(octets)
  if (size === null) throw invalid('it must be a PNG, JPEG or WebP file')
  const { type, width, height } = size
  const [least, most] = [Math.min(width, height), Math.max(width, height)]
  if (least < 1 || most > MAX_PIXELS)
    throw invalid(`it has ${width} × ${height} pixels; ${MAX_PIXELS} × ${MAX_PIXELS} are allowed`)
  return type
}

function invalid(why: string): OperateError {
  return new OperateError('invalid', `the logo cannot be used: ${why}`)
}
