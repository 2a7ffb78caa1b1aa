import type { Allowed, Finding, Measured, Unit } from '@despatch/domain/preflight/finding'

/** Thrown where reading must not go on. Carries what the caller of preflight is told. */
export class UnsafePdf extends Error {
  readonly finding: Finding

  constructor(finding: Finding) {
    super(finding.detail)
    this.name = 'UnsafePdf'
    this.finding = finding
  }
}

export function damaged(detail = 'The PDF is damaged and cannot be read.'): UnsafePdf {
  return new UnsafePdf({ rule: 'pdf-damaged', severity: 'refusal', detail })
}

export function encrypted(): UnsafePdf {
  return new UnsafePdf({
    rule: 'pdf-encrypted',
    severity: 'refusal',
    detail: 'The PDF is encrypted.',
  })
}

/** A limit is passed: `what` completes "The PDF has …", with the limit in words behind it. */
export function tooComplex(
  what: string,
  numbers: { unit: Unit; value: number; max: number } | undefined = undefined,
): UnsafePdf {
  const measures: { measured?: Measured; allowed?: Allowed } = numbers
    ? {
        measured: { unit: numbers.unit, value: numbers.value },
        allowed: { unit: numbers.unit, max: numbers.max },
      }
    : {}
  return new UnsafePdf({
    rule: 'pdf-too-complex',
    severity: 'refusal',
    ...measures,
    detail: `The PDF has ${what}.`,
  })
}
