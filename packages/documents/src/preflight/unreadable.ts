import type { Finding } from '@despatch/domain/preflight/finding'
import type { Unreadable } from '../render/open-pages.ts'

const findings = {
  damaged: { rule: 'pdf-damaged', says: 'is damaged and cannot be shown' },
  encrypted: { rule: 'pdf-encrypted', says: 'is encrypted' },
  'too-complex': {
    rule: 'pdf-too-complex',
    says: 'needs too much memory or is too complex to show',
  },
} as const

/**
 * Returns the finding for a PDF or page that cannot be rendered. It is refused, because nobody knows what it would
 * print.
 */
export function describeUnreadable(
  why: Unreadable['why'],
  { fileId, page }: { fileId?: string | undefined; page?: number },
): Finding {
  const file = fileId === undefined ? 'the PDF' : `file ${fileId}`
  const what = page === undefined ? file : `page ${page} of ${file}`
  const { rule, says } = findings[why]
  return {
    rule,
    severity: 'refusal',
    ...(fileId !== undefined && { fileId }),
    ...(page !== undefined && { page }),
    detail: `${what[0]!.toUpperCase()}${what.slice(1)} ${says}.`,
  }
}
