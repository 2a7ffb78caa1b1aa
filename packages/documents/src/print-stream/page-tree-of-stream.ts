/** Pages per branch of the page tree, and branches per branch above. */
export const branchKidsMax = 100

type Branch = { number: number; kids: readonly number[]; count: number }

/**
 * Writes the page tree over pages whose branches already have their numbers, in order and filled one after the other.
 * Adds levels until one branch contains all.
 */
export function writePageTree({
  pages,
  branches,
  takeNumber,
}: {
  pages: readonly number[]
  branches: readonly number[]
  takeNumber: () => number
}): { root: number; branches: { number: number; body: string }[] } {
  const parents = new Map<number, number>()
  let level: Branch[] = branches.map((number, index) => {
    const kids = pages.slice(index * branchKidsMax, (index + 1) * branchKidsMax)
    return { number, kids, count: kids.length }
  })
  const all = [...level]
  while (level.length > 1) {
    const above: Branch[] = []
    for (let first = 0; first < level.length; first += branchKidsMax) {
      const kids = level.slice(first, first + branchKidsMax)
      const number = takeNumber()
      for (const kid of kids) parents.set(kid.number, number)
      const count = kids.reduce((sum, kid) => sum + kid.count, 0)
      above.push({ number, kids: kids.map((kid) => kid.number), count })
    }
    all.push(...above)
    level = above
  }
  return {
    root: level[0]!.number,
    branches: all.map(({ number, kids, count }) => {
      const parent = parents.get(number)
      const up = parent === undefined ? '' : `/Parent ${parent} 0 R`
      const list = kids.map((kid) => `${kid} 0 R`).join(' ')
      return { number, body: `<</Type/Pages${up}/Count ${count}/Kids[${list}]>>` }
    }),
  }
}
