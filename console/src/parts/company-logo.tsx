/** The logo of a company, beside its name. Nothing when it has none. */
import { Image } from '@mantine/core'
import { logoUrl } from '../api/company.ts'
import type { Me } from '../api/session.ts'

interface CompanyLogoProps {
  of: Pick<Me['companies'][number], 'id' | 'logo'>
  /** Pixels of its height and of its greatest width. */
  size?: number
}

export function CompanyLogo({ of, size = 20 }: CompanyLogoProps) {
  const url = logoUrl(of)
  // The name is beside it.
  return url && <Image src={url} alt="" h={size} w="auto" maw={size} fit="contain" radius={3} />
}
