/** Addresses that a company does not want mail sent to any more. */
import type { NewSuppressions, Suppression } from './queue-control.ts'

export interface SuppressionStore {
  listSuppressions(filter: { companyId?: string; address?: string; limit: number }): Promise<Suppression[]>
  /** False when the address is on the list already: the first reason stays. `at` in Unix ms. */
  addSuppression(companyId: string, address: string, reason: string, at: number): Promise<boolean>
  removeSuppression(companyId: string, address: string): Promise<boolean>
  /**
   * What `record` and `addSuppression` of any node have added since the answer that had this cursor; with null nothing,
   * only the cursor. Cheap: costs nothing for what was added before. Nothing may be missed, whatever order commits come
   * in.
   */
  suppressionsSince(cursor: string | null): Promise<NewSuppressions>
}
