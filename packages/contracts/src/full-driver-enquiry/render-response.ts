import { categoryLegalLiteral } from '@despatch/domain/driver/categories'
import type {
  Disqualification,
  DriverRecord,
  Endorsement,
  Entitlement,
  Restriction,
} from '@despatch/domain/driver/driver-record'
import { offenceLegalLiteral } from '@despatch/domain/driver/offence-codes'
import { restrictionLiteral } from '@despatch/domain/driver/restriction-codes'
import { Problem } from '@despatch/domain/problem'
import type { DriverErrors } from '../driver-records/problems.ts'
import type { CpcAnswer, TachographAnswer } from '../driver-sources/answers.ts'
import { renderFullDriverProblem, type SourceProblemKind } from './problems.ts'
import type { RetrieveResponse } from './retrieve-response.ts'

/** The parts of a driver's record that the enquiry service holds itself. */
export type EnquiredDriver = Pick<
  DriverRecord,
  'driver' | 'licence' | 'entitlement' | 'endorsements' | 'token'
>

type DriverParts = {
  /** Absent if not requested or missing. */
  cpc?: CpcAnswer | undefined
  tachograph?: TachographAnswer | undefined
  /** Why each requested part is missing. */
  missing: readonly { kind: SourceProblemKind; detail: string }[]
}

/**
 * Renders the response: adds the text of each code, sorts the endorsements, and omits members that are not in the
 * interface.
 */
export function renderRetrieveResponse(
  { driver, licence, entitlement, endorsements, token }: EnquiredDriver,
  { cpc, tachograph, missing }: DriverParts,
): RetrieveResponse {
  return {
    driver,
    licence,
    entitlement: entitlement.map(renderEntitlement),
    endorsements: endorsements.toSorted(newestFirst).map(renderEndorsement),
    token,
    ...(cpc && renderCpc(cpc)),
    ...(tachograph && { holder: tachograph }),
    ...(missing.length > 0 && { errors: missing.flatMap(renderMissing) }),
  }
}

function renderEntitlement({
  categoryCode,
  categoryLegalLiteral: kept,
  restrictions,
  ...rest
}: Entitlement) {
  const literal = kept ?? categoryLegalLiteral(categoryCode)
  return {
    categoryCode,
    ...(literal !== undefined && { categoryLegalLiteral: literal }),
    ...rest,
    ...(restrictions && { restrictions: restrictions.map(renderRestriction) }),
  }
}

function renderRestriction({ restrictionCode, restrictionLiteral: kept }: Restriction) {
  const literal = kept ?? restrictionLiteral(restrictionCode)
  return { restrictionCode, ...(literal !== undefined && { restrictionLiteral: literal }) }
}

function renderEndorsement({
  offenceCode,
  offenceLegalLiteral: kept,
  disqualification,
  disqualifiedPendingSentence,
  ...rest
}: Endorsement) {
  const literal = kept ?? (offenceCode === undefined ? undefined : offenceLegalLiteral(offenceCode))
  return {
    ...(offenceCode !== undefined && { offenceCode }),
    ...(literal !== undefined && { offenceLegalLiteral: literal }),
    ...rest,
    ...pendingSentence(disqualification, disqualifiedPendingSentence),
  }
}

// Spec: the endorsement's member is deprecated in favour of that of the disqualification. A consumer may read either,
// so both must show that sentence is pending.
function pendingSentence(
  disqualification: Disqualification | undefined,
  deprecated: boolean | undefined,
): Pick<Endorsement, 'disqualification' | 'disqualifiedPendingSentence'> {
  if (deprecated || disqualification?.disqualifiedPendingSentence) {
    return {
      disqualification: { ...disqualification, disqualifiedPendingSentence: true },
      disqualifiedPendingSentence: true,
    }
  }
  return {
    ...(disqualification && { disqualification }),
    ...(deprecated !== undefined && { disqualifiedPendingSentence: deprecated }),
  }
}

function renderCpc({ cpcs, testPass = [] }: CpcAnswer) {
  return {
    cpc: { cpcs },
    ...(testPass.length > 0 && { testPass: testPass.map(renderTestPass) }),
  }
}

function renderTestPass({
  categoryCode,
  categoryLegalLiteral: kept,
  ...rest
}: NonNullable<CpcAnswer['testPass']>[number]) {
  const literal =
    kept ?? (categoryCode === undefined ? undefined : categoryLegalLiteral(categoryCode))
  return {
    ...(categoryCode !== undefined && { categoryCode }),
    ...(literal !== undefined && { categoryLegalLiteral: literal }),
    ...rest,
  }
}

function renderMissing({ kind, detail }: DriverParts['missing'][number]) {
  return (renderFullDriverProblem(new Problem(kind, detail)).body as DriverErrors).errors
}

const sortDates = ['sentenceDate', 'convictionDate', 'offenceDate'] as const

/** Dates compare as text; a missing date sorts last. */
function newestFirst(a: Endorsement, b: Endorsement): number {
  for (const date of sortDates) {
    const [left = '', right = ''] = [a[date], b[date]]
    if (left !== right) return left < right ? 1 : -1
  }
  return 0
}
