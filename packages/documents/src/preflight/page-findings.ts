import type { Finding } from '@despatch/domain/preflight/finding'
import type { RuleSet } from '@despatch/domain/preflight/rule-set'
import type { RuleId } from '@despatch/domain/preflight/rules'
import type { Hidden } from './hidden-content.ts'
import { findInkOutside, findInkWithin, type Ink, type InkFound } from './ink.ts'
import type { PageGeometry, Size } from './page-geometry.ts'
import { describeRectangle, describeSize, sentences } from './sentences.ts'
import type { PagesPart, Zones } from './zones.ts'

const a4: Size = { width: 210, height: 297 }

type Where = { fileId?: string | undefined; page: number }

/**
 * Returns whether a page prints as A4. A page of a letter is printed as its crop box shows it. Of a file that is printed
 * as supplied the paper must be A4 too, because the press may print all of it.
 */
export function isA4(
  { paper, shown }: PageGeometry,
  { part, ruleSet: { sizeTolerance } }: { part: PagesPart; ruleSet: RuleSet },
): boolean {
  return isNearA4(shown, sizeTolerance) && (part !== 'supplied' || isNearA4(paper, sizeTolerance))
}

function isNearA4({ width, height }: Size, tolerance: number): boolean {
  return Math.abs(width - a4.width) <= tolerance && Math.abs(height - a4.height) <= tolerance
}

/** Returns the finding for a page that is not A4. No other rule is checked on such a page. */
export function judgeSize(
  geometry: PageGeometry | undefined,
  { ruleSet, part, ...where }: Where & { ruleSet: RuleSet; part: PagesPart },
): Finding[] {
  const { sizeTolerance: tolerance } = ruleSet
  const allowed = {
    unit: 'mm',
    min: [a4.width - tolerance, a4.height - tolerance],
    max: [a4.width + tolerance, a4.height + tolerance],
  } as const
  if (!geometry) {
    return finding('page-size', ruleSet, where, { allowed, detail: sentences.sizeless(where) })
  }
  const { paper, shown } = geometry
  const isCut = paper.width !== shown.width || paper.height !== shown.height
  const isTooLarge = part === 'supplied' && isNearA4(shown, tolerance)
  const { value, text: size } = describeSize(isTooLarge ? paper : shown)
  const say = isTooLarge ? sentences.paper : isCut ? sentences.crop : sentences.size
  return finding('page-size', ruleSet, where, {
    measured: { unit: 'mm', value },
    allowed,
    detail: say(where, { size, tolerance }),
  })
}

/** Returns the findings about the ink on a page, at most one per rule, in the order of the rules. */
export function judgeInk(
  ink: Ink,
  { zones, ruleSet, ...where }: Where & { zones: Zones; ruleSet: RuleSet },
): Finding[] {
  const { areaTolerance: tolerance } = ruleSet
  const { areas, strips, window } = zones
  const isJudged = (rule: RuleId) => ruleSet.judgements[rule] !== 'off'
  const ownRule = [
    ...(isJudged('reserved-strip') ? strips : []),
    ...(isJudged('address-window') && window?.use === 'kept' ? [window] : []),
  ]
  const allowed = { unit: 'mm', max: tolerance } as const
  const findingOf = (
    rule: RuleId,
    found: InkFound | undefined,
    detail: (found: InkFound) => string,
  ) =>
    found
      ? finding(rule, ruleSet, where, {
          rectangle: found.rectangle,
          measured: { unit: 'mm', value: found.depth },
          allowed,
          detail: detail(found),
        })
      : []

  const worstStrip = strips
    .map((strip) => ({ strip, found: findInkWithin(ink, strip, { tolerance }) }))
    .filter(({ found }) => found !== undefined)
    .toSorted((one, other) => other.found!.depth - one.found!.depth)[0]
  return [
    ...findingOf(
      'print-area',
      findInkOutside(ink, areas, { tolerance, except: ownRule }),
      (found) => sentences.printArea(where, { found, areas }),
    ),
    ...(window?.use === 'kept'
      ? findingOf('address-window', findInkWithin(ink, window, { tolerance }), (found) =>
          sentences.window(where, { found, window }),
        )
      : []),
    ...findingOf('reserved-strip', worstStrip?.found, (found) =>
      sentences.strip(where, { found, strip: worstStrip!.strip }),
    ),
  ]
}

export function judgeHidden(
  { characters, rectangle }: Hidden,
  { ruleSet, ...where }: Where & { ruleSet: RuleSet },
): Finding[] {
  return finding('window-hidden-content', ruleSet, where, {
    rectangle,
    ...(characters > 0 && {
      measured: { unit: 'characters', value: characters },
      allowed: { unit: 'characters', max: 0 },
    }),
    detail: sentences.hidden(where, { characters, place: describeRectangle(rectangle) }),
  })
}

/** Returns one finding, or none if the rule set does not apply the rule. */
export function finding(
  rule: RuleId,
  { judgements }: RuleSet,
  { fileId, page }: { fileId?: string | undefined; page?: number },
  more: Pick<Finding, 'rectangle' | 'measured' | 'allowed' | 'detail'>,
): Finding[] {
  const judgement = judgements[rule] ?? 'refuse'
  if (judgement === 'off') return []
  return [
    {
      rule,
      severity: judgement === 'note' ? 'note' : 'refusal',
      ...(fileId !== undefined && { fileId }),
      ...(page !== undefined && { page }),
      ...more,
    },
  ]
}
