/** The DMARC policy of a domain, in words. The page of the console uses them, too. */

/** `policy`: of a DmarcSummary. */
export function dmarcPolicyWords(policy: string | null): string {
  if (policy === null) return 'no valid record'
  return policy === 'unknown' ? policy : `p=${policy}`
}
