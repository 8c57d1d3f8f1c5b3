/**
 * Measures each in turns, so that a machine whose speed wanders slows all alike; the order turns, too, so that nobody always comes after
 * the same one. The rounds of each, in the order in which they were given.
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
