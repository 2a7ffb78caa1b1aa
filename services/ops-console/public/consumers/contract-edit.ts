import type {
  ContractResponse,
  PutContractRequest,
} from '@despatch/contracts/administration/contract'
import type { ContractPreviewResponse } from '@despatch/contracts/administration/contract-change'
import { printJobStatuses } from '@despatch/domain/print-job/status'
import type { JSX } from 'preact'
import { ask, Refusal } from '../parts/api.ts'
import { button } from '../parts/elements.ts'
import { check, choice, input } from '../parts/form.ts'
import { countOf } from '../parts/format.ts'
import { askFirst, type Question } from '../parts/question.ts'
import { whyNotForMe } from '../parts/session.ts'
import { refusals, switches, withTerms } from './contract-terms.ts'
import { diff } from './diff.ts'

type Edited = { path: string; contract: ContractResponse; onSaved: () => unknown }

/** Returns the button that changes a contract; null if the user may not, and for a retired contract. */
export function editButton(edited: Edited): JSX.Element | null {
  const { jobType, templateReference, retiredAt } = edited.contract
  if (retiredAt || whyNotForMe('putContract') !== null) return null
  return button('Edit…', () => askForTerms(edited), {
    look: 'small',
    name: `Edit… ${jobType} / ${templateReference}`,
  })
}

/** Nothing changes until the operator has seen the difference. */
function askForTerms(edited: Edited): void {
  const { path, contract } = edited
  askFirst({
    title: `Change the contract ${contract.jobType} / ${contract.templateReference}`,
    button: 'Preview…',
    fields: termFields(contract),
    onSend: async (given) => {
      const terms = withTerms(contract, given)
      const preview = await ask<ContractPreviewResponse>(
        'POST',
        `${pathOf(path, contract)}/preview`,
        terms,
      )
      if (preview.whyNot) throw new Refusal(0, preview.whyNot)
      if (preview.effect === 'none') throw new Refusal(0, 'No term is different.')
      return { next: toSave(edited, terms, preview) }
    },
  })
}

/** Returns the fields of the terms that change most. The others keep their values. */
function termFields(contract: ContractResponse): JSX.Element[] {
  return [
    input('pagesMax', 'Pages at most', {
      value: contract.pagesMax,
      type: 'number',
      min: 1,
      max: 10_000,
      required: true,
      class: 'short',
    }),
    input(
      'retentionDays',
      'Retention in days',
      { value: contract.retentionDays ?? '', type: 'number', min: 1, max: 36_500, class: 'short' },
      'Empty: the default of the deployment',
    ),
    input('stationery', 'Paper', { value: contract.stationery, required: true, maxLength: 50 }),
    choice('plex', 'Sides', ['simplex', 'duplex'], { value: contract.plex }),
    choice('callbackOrder', 'Order of callbacks', ['print-job', 'strict'], {
      value: contract.callbackOrder,
    }),
    ...printJobStatuses.map((status) =>
      check(`on-${status}`, `Callback for ${status}`, {
        defaultChecked: contract.callbackStatuses.includes(status),
      }),
    ),
    ...refusals.map(([term, label]) =>
      input(
        term,
        label,
        { value: contract[term], required: true, pattern: refusalPattern, class: 'short' },
        'report, refuse, or the day from which to refuse, such as 2027-02-01',
      ),
    ),
    ...switches.map(([term, label]) => check(term, label, { defaultChecked: contract[term] })),
  ]
}

const refusalPattern = 'report|refuse|[0-9]{4}-[0-9]{2}-[0-9]{2}'

function toSave(
  { path, contract, onSaved }: Edited,
  terms: PutContractRequest,
  { changes }: ContractPreviewResponse,
): Question {
  const text = countOf(changes.length, 'term')
  return {
    title: `Change ${text} of ${contract.jobType} / ${contract.templateReference}?`,
    button: `Change ${text}`,
    points: ['Terms that are not shown stay as they are.'],
    details: diff(changes),
    onSend: async () => {
      await ask('PUT', pathOf(path, contract), terms)
      return { done: `Done: ${text} changed.`, again: onSaved }
    },
  }
}

function pathOf(path: string, { jobType, templateReference }: ContractResponse): string {
  return `${path}/contracts/${encodeURIComponent(jobType)}/${encodeURIComponent(templateReference)}`
}
