/**
 * Measures several subjects in turns, so that changes in the speed of the machine affect all alike. The order rotates,
 * so that no subject always follows the same one. Returns the rounds of each subject, in the given order.
 */
export async function inTurns<Subject, Round>(
  subjects: readonly Subject[],
  rounds: number,
  measure: (subject: Subject) => Promise<Round>,
  what = '',
): Promise<Round[][]> {
  const measured: Round[][] = subjects.map(() => [])
  for (let round = 0; round < rounds; round++) {
    for (let turn = 0; turn < subjects.length; turn++) {
      const index = (round + turn) % subjects.length
      measured[index]!.push(await measure(subjects[index]!))
    }
    process.stderr.write(`${what}round ${round + 1} of ${rounds} done\n`)
  }
  return measured
}
