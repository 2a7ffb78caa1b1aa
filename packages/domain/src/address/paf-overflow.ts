import type { PafElement } from './paf-elements.ts'
import { cutLine, holdsAtMost, lineCharactersMax } from './printed-line.ts'

/** The fifth line is reserved for the post town. */
const linesMax = 4

type Role = PafElement['role']
type Step = { join: readonly [Role, Role] | 'any' } | { drop: Role }

/** The steps that make room, in their order. No step drops a premise, a street or the line with the number. */
const steps: readonly Step[] = [
  { join: ['double-dependent-locality', 'dependent-locality'] },
  { join: ['organisation', 'department'] },
  { join: ['premise', 'premise'] },
  { join: ['street', 'street'] },
  { join: 'any' },
  { drop: 'department' },
  { drop: 'double-dependent-locality' },
  { drop: 'organisation' },
  { drop: 'dependent-locality' },
  { drop: 'po-box' },
]

/** The roles in the order in which they are left out. Roles that are not in this list are never left out. */
const dropOrder = steps.flatMap((step) => ('drop' in step ? [step.drop] : []))

/**
 * Fits the elements into at most four lines of at most 45 characters. While there are more, neighbours are joined with
 * a comma if the joined line fits. Those of one kind are joined first, then any, from the top, because the lines near
 * the post town route the letter. Then elements are dropped, the organisation before anything that a postman needs.
 * Premises, streets and the line with the number are never dropped, nor is what is joined to them. A single element
 * that is too long is cut after a word.
 */
export function fitElements(elements: readonly PafElement[]): string[] {
  let left = elements
  for (const step of steps) left = 'join' in step ? joinAll(left, step.join) : drop(left, step.drop)
  return left.map(({ text }) => cutLine(text))
}

function joinAll(
  elements: readonly PafElement[],
  roles: readonly [Role, Role] | 'any',
): readonly PafElement[] {
  if (elements.length <= linesMax) return elements
  const at = elements.findIndex((first, index) => {
    const second = elements[index + 1]
    return (
      second !== undefined &&
      (roles === 'any' || (first.role === roles[0] && second.role === roles[1])) &&
      holdsAtMost(`${first.text}, ${second.text}`, lineCharactersMax)
    )
  })
  if (at < 0) return elements
  const [first, second] = [elements[at]!, elements[at + 1]!]

  // The joined line is kept as long as the one of the two that is left out later.
  const joined = {
    role: placeOfDrop(first.role) > placeOfDrop(second.role) ? first.role : second.role,
    text: `${first.text}, ${second.text}`,
    numbered: first.numbered || second.numbered,
  }
  return joinAll(elements.toSpliced(at, 2, joined), roles)
}

function placeOfDrop(role: Role): number {
  return dropOrder.includes(role) ? dropOrder.indexOf(role) : dropOrder.length
}

function drop(elements: readonly PafElement[], role: Role): readonly PafElement[] {
  if (elements.length <= linesMax) return elements
  return elements.filter((element) => element.role !== role || element.numbered)
}
