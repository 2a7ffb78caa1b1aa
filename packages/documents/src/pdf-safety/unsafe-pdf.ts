import type { Allowed, Finding, Measured, Unit } from '@despatch/domain/preflight/finding'

/** Thrown if reading must stop. Carries the finding for the caller. */
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

/** Returns the error for an exceeded limit. `what` completes "The PDF has …" and is followed by the limit in words. */
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
