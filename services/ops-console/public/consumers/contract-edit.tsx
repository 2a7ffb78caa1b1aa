import type {
  ContractResponse,
  PutContractRequest,
} from '@despatch/contracts/administration/contract'
import type { ContractPreviewResponse } from '@despatch/contracts/administration/contract-change'
import { printJobStatuses } from '@despatch/domain/print-job/status'
import type { JSX } from 'preact'
import { ask, Refusal } from '../parts/api.ts'
import { Button } from '../parts/elements.tsx'
import { Check, Choice, Input } from '../parts/form.tsx'
import { countOf } from '../parts/format.ts'
import { askFirst, type Question } from '../parts/question.tsx'
import { whyNotForMe } from '../parts/session.ts'
import { refusals, switches, withTerms } from './contract-terms.ts'
import { Diff } from './diff.tsx'

type Edited = { path: string; contract: ContractResponse; onSaved: () => unknown }

/** Returns the button that changes a contract; null if the user may not, and for a retired contract. */
export function editButton(edited: Edited) {
  const { jobType, templateReference, retiredAt } = edited.contract
  if (retiredAt || whyNotForMe('putContract') !== null) return null
  return (
    <Button
      onClick={() => askForTerms(edited)}
      look="small"
      name={`Edit… ${jobType} / ${templateReference}`}
    >
      Edit…
    </Button>
  )
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
    <Input
      name="pagesMax"
      label="Pages at most"
      value={contract.pagesMax}
      type="number"
      min={1}
      max={10_000}
      required
      class="short"
    />,
    <Input
      name="retentionDays"
      label="Retention in days"
      hint="Empty: the default of the deployment"
      value={contract.retentionDays ?? ''}
      type="number"
      min={1}
      max={36_500}
      class="short"
    />,
    <Input name="stationery" label="Paper" value={contract.stationery} required maxLength={50} />,
    <Choice name="plex" label="Sides" options={['simplex', 'duplex']} value={contract.plex} />,
    <Choice
      name="callbackOrder"
      label="Order of callbacks"
      options={['print-job', 'strict']}
      value={contract.callbackOrder}
    />,
    <Input
      name="callbackConcurrency"
      label="Callbacks at once"
      hint="To one receiver, of the callbacks that are owed from now on"
      value={contract.callbackConcurrency}
      type="number"
      min={1}
      max={1_000}
      required
      class="short"
    />,
    ...printJobStatuses.map((status) => (
      <Check
        name={`on-${status}`}
        label={`Callback for ${status}`}
        defaultChecked={contract.callbackStatuses.includes(status)}
      />
    )),
    ...refusals.map(([term, label]) => (
      <Input
        name={term}
        label={label}
        hint="report, refuse, or the day from which to refuse, such as 2027-02-01"
        value={contract[term]}
        required
        pattern={refusalPattern}
        class="short"
      />
    )),
    ...switches.map(([term, label]) => (
      <Check name={term} label={label} defaultChecked={contract[term]} />
    )),
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
    details: <Diff changes={changes} />,
    onSend: async () => {
      await ask('PUT', pathOf(path, contract), terms)
      return { done: `Done: ${text} changed.`, again: onSaved }
    },
  }
}

function pathOf(path: string, { jobType, templateReference }: ContractResponse): string {
  return `${path}/contracts/${encodeURIComponent(jobType)}/${encodeURIComponent(templateReference)}`
}
