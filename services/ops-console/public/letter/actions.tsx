import type { PrintJobDetailsResponse } from '@despatch/contracts/administration/print-job'
import { callbackActions } from '@despatch/domain/operator-action/callback-actions'
import { actionPath } from '@despatch/domain/operator-action/operator-action'
import {
  type PrintJobAction,
  printJobActions,
} from '@despatch/domain/operator-action/print-job-actions'
import type { JSX } from 'preact'
import { ask, askForFile, withQuery } from '../parts/api.ts'
import { attempt } from '../parts/attempt.ts'
import { statusName } from '../parts/chips.tsx'
import { Button, Card, Icon } from '../parts/elements.tsx'
import { announce } from '../parts/notice.ts'
import { askFirst, irreversible, questionOf } from '../parts/question.tsx'
import { whyNotForMe } from '../parts/session.ts'
import { correctAddress } from './correct-address.tsx'
import { findingsOf, recipientOf } from './standing.tsx'

type Letter = PrintJobDetailsResponse
type Show = (letter: Letter) => void

/** The browser must have read the file within this time. */
const savedWithinMs = 60_000

const symbols: Readonly<Record<PrintJobAction, string>> = {
  hold: 'pause',
  release: 'send',
  cancel: 'deleted',
  redrive: 'redo',
  'override-address': 'letters',
}

const alreadyHeld =
  'It is held already. Your hold replaces that one. Its consumer can then not release it.'

/** The actions on a letter; what is not possible is said once, with the reason. */
export function Actions({ letter, show }: { letter: Letter; show: Show }) {
  const judged = letter.actions.map(({ action, whyNot }) => ({
    action,
    whyNot: whyNotForMe(printJobActions[action].operationId) ?? whyNot ?? null,
  }))
  const possible = judged
    .filter(({ whyNot }) => whyNot === null)
    .map(({ action }) => action)
    .sort((one, other) => Number(goesOn(other)) - Number(goesOn(one)))
  const reasons = Map.groupBy(
    judged.filter(({ whyNot }) => whyNot !== null),
    ({ whyNot }) => whyNot!,
  )
  return (
    <Card title="Actions">
      <div class="body actions">
        {recallLink(letter)}
        {possible.map((action) => actionButton(action, letter, show))}
        {replayButtons(letter)}
        <Button onClick={() => void exportEvidence(letter)} icon="dl" look="full">
          Export evidence (ZIP)
        </Button>
        {noteButton(letter)}
        {reasons.size > 0 && (
          <ul class="not">
            {[...reasons].map(([whyNot, group]) => (
              <li>
                <b>{group.map(({ action }) => printJobActions[action].label).join(', ')}</b>:{' '}
                {whyNot}
              </li>
            ))}
          </ul>
        )}
      </div>
    </Card>
  )
}

/** These actions let a letter that stands still continue. They come first. */
function goesOn(action: PrintJobAction): boolean {
  return action === 'redrive' || action === 'release'
}

/** A claimed letter can only be stopped through its run. */
function recallLink({ status, batchNumber }: Letter) {
  if (status !== 'PRODUCTION' || !batchNumber) return null
  return (
    <a class="btn primary full" href={withQuery('/print-runs', { run: batchNumber })}>
      <Icon name="undo" />
      Recall or post it in its run…
    </a>
  )
}

function actionButton(name: PrintJobAction, letter: Letter, show: Show) {
  const action = printJobActions[name]
  const isCancel = name === 'cancel'
  const recipient = recipientOf(letter)
  const what = `${action.label} 1 letter`
  const begin = () => {
    if (name === 'override-address') return correctAddress(letter, show)
    askFirst(
      questionOf(action, {
        key: name,
        title: recipient ? `${what} to ${recipient}?` : `${what}, ${letter.id}?`,
        ...(isCancel && { button: what, isDanger: true, points: [irreversible] }),
        ...(name === 'hold' && letter.heldAt && { points: [alreadyHeld] }),
        onSend: async (given) => {
          show(await ask<Letter>('POST', actionPath(action, letter.printJobKey), given))
          return { done: `Done: ${action.label.toLowerCase()}.` }
        },
      }),
    )
  }
  return (
    <Button
      onClick={begin}
      icon={symbols[name]}
      look={isCancel ? 'full warns' : goesOn(name) ? 'full primary' : 'full'}
    >
      {action.label}…
    </Button>
  )
}

function replayButtons({ callbacks }: Letter): JSX.Element[] {
  const { replay } = callbackActions
  if (whyNotForMe(replay.operationId) !== null) return []
  return callbacks
    .filter(({ status }) => status === 'DEAD')
    .map(({ callbackId, jobStatus, kind, origin }) => {
      const name = jobStatus ? statusName(jobStatus) : kind
      return (
        <Button
          onClick={() =>
            askFirst(
              questionOf(replay, {
                title: `Send 1 callback again?`,
                button: 'Send 1 callback again',
                points: [`It goes to ${origin}.`],
                onSend: async () => {
                  await ask('POST', actionPath(replay, callbackId))
                  return { done: 'The callback will be sent again.' }
                },
              }),
            )
          }
          icon="callbacks"
          look="full"
        >
          Send the callback {name} again…
        </Button>
      )
    })
}

/** A sentence that an operator can send to the consumer. */
function noteButton(letter: Letter) {
  const refusal = findingsOf(letter).find(({ severity }) => severity === 'refusal')
  if (letter.status !== 'REJECTED' || !refusal || !navigator.clipboard) return null
  const { number, rule, detail } = refusal
  const note = `Letter ${letter.id} was rejected: ${detail} (rule ${number ?? rule}). Submit a corrected letter under a new id.`
  const copy = async () => {
    await navigator.clipboard.writeText(note)
    announce(`Copied: ${note}`)
  }
  return (
    <Button onClick={() => void copy()} icon="copy" look="full">
      Copy a note for the sender
    </Button>
  )
}

async function exportEvidence({ printJobKey }: Letter): Promise<void> {
  const name = `evidence-${printJobKey}.zip`
  announce('Collecting the evidence …')
  const path = `/print-jobs/${encodeURIComponent(printJobKey)}/evidence.zip`
  const isSaved = await attempt(async () => save(await askForFile(path), name))
  if (isSaved) announce(`The evidence was saved as ${name}. Start with its README.txt.`)
}

function save(file: Blob, name: string): void {
  const address = URL.createObjectURL(file)
  Object.assign(document.createElement('a'), { href: address, download: name }).click()
  setTimeout(() => URL.revokeObjectURL(address), savedWithinMs)
}
