import type { SessionResponse } from '@despatch/contracts/administration/session'
import type { OperatorAction } from '@despatch/domain/operator-action/operator-action'
import { signal } from '@preact/signals'
import { type ComponentChildren, render } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { messageOf } from './api.ts'
import { Button, Icon } from './elements.tsx'
import { fieldsOf, type Given, Input, labelOf, ReasonField } from './form.tsx'
import { count } from './format.ts'
import { announce } from './notice.ts'
import { session } from './session.ts'

/** What an operator is asked before an action. */
export type Question = {
  /** Names the action and its exact count. */
  title: string
  /** The text of the button that acts. */
  button: string
  /** What happens, each point in a sentence. The last one of a dangerous action says that it cannot be undone. */
  points?: readonly ComponentChildren[]
  /** More than text, such as the list of what is included. */
  details?: ComponentChildren
  fields?: readonly ComponentChildren[]
  isDanger?: boolean
  /** There is nothing to decide. The dialog closes by its one button alone, because what it shows is shown once. */
  isLastSight?: boolean
  /** The operator types this count, so that nobody acts without reading it. */
  typed?: { count: number; of: string }
  /** Preact's key, which differs for each question that is opened. */
  key?: string
  /** Acts. An error is shown in the dialog, which stays open. `tell` shows how far a long action is. */
  onSend: (given: Given, tell: (progress: string) => void) => Promise<Followup | undefined>
}

/** What follows an action that succeeded. */
type Followup = {
  /** Says what was done. */
  done?: string
  /** Reads again what the page shows. If that fails, the action is still done. */
  again?: () => unknown
  /** The next question, such as the one with the exact count. */
  next?: Question
}

/** The question that is open. */
export const question = signal<Question | undefined>()
/** Whether the answer to the open question is being sent. It cannot be left meanwhile. */
export const isSending = signal(false)
let numberOfQuestions = 0

export function askFirst(asked: Question): void {
  numberOfQuestions += 1
  question.value = asked
}

export const irreversible = 'This cannot be undone.'

/** Returns the question before an action of one thing: what it does, its fields and its reason. */
export function questionOf<Facts extends object>(
  { effect, reason, label }: OperatorAction<Facts>,
  given: Partial<Question> & Pick<Question, 'title' | 'onSend'>,
): Question {
  return {
    button: label,
    ...given,
    points: [effect, ...(given.points ?? [])],
    fields: [...(given.fields ?? []), reason && <ReasonField reason={reason} />],
  }
}

/** Shows the open question. It closes when it is answered; the focus then returns to where it was. */
export function showQuestions(): void {
  const place = document.createElement('div')
  document.body.append(place)
  render(<Questions />, place)
}

function Questions() {
  const open = question.value
  return open ? <QuestionDialog {...open} key={String(numberOfQuestions)} /> : null
}

function QuestionDialog(open: Question) {
  const { title, points = [], details, fields = [], typed, onSend } = open
  const { isDanger = false, isLastSight = false } = open
  const dialog = useRef<HTMLDialogElement>(null)
  const [refusal, refuse] = useState('')
  const [progress, tell] = useState('')
  const close = () => {
    // some browsers close a dialog at the second Escape, whatever the page says
    if (isSending.value || isLastSight) dialog.current?.showModal()
    else question.value = undefined
  }
  useEffect(() => {
    const before = document.activeElement
    dialog.current?.showModal()
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus()
      else document.getElementById('main')?.focus()
    }
  }, [])

  async function submit(event: SubmitEvent): Promise<void> {
    event.preventDefault()
    const form = event.currentTarget as HTMLFormElement
    const given = fieldsOf(form)
    if (typed && Number(given.typed) !== typed.count) {
      refuse(`There are ${count(typed.count)}, not ${given.typed}. Nothing was done.`)
      return
    }
    isSending.value = true
    refuse('')
    tell('Sending …')
    try {
      const followup = await onSend(given, tell)
      question.value = undefined
      if (followup) void follow(followup)
    } catch (error) {
      refuse(messageOf(error, (name) => labelOf(form, name)))
    } finally {
      isSending.value = false
    }
  }

  return (
    <dialog
      ref={dialog}
      aria-label={title}
      onClose={close}
      onCancel={(event) => (isSending.value || isLastSight) && event.preventDefault()}
    >
      <form aria-label={title} onSubmit={(event) => void submit(event)}>
        <header>
          <h2>{title}</h2>
        </header>
        <div class="in">
          <ul class="will">{points.filter(Boolean).map(pointOf)}</ul>
          {details}
          {fields}
          {typed && (
            <Input
              name="typed"
              label={`Type ${count(typed.count)}, the number of ${typed.of}`}
              required
              inputMode="numeric"
              pattern="[0-9]{1,9}"
              class="short"
            />
          )}
          <p role="alert" class="refused">
            {refusal}
          </p>
        </div>
        <footer>
          <span class="meta">{session.value && whereAndWho(session.value)}</span>
          {isSending.value && (
            <span role="status" class="meta">
              {progress}
            </span>
          )}
          {!isLastSight && (
            <Button onClick={close} isDisabled={isSending.value}>
              Back
            </Button>
          )}
          <button
            type="submit"
            class={isDanger ? 'btn danger' : 'btn primary'}
            disabled={isSending.value}
          >
            {open.button}
          </button>
        </footer>
      </form>
    </dialog>
  )
}

async function follow({ done = '', again, next }: Followup): Promise<void> {
  if (next) askFirst(next)
  if (done) announce(done)
  try {
    await again?.()
  } catch (error) {
    announce(`${done} This page could not be updated: ${messageOf(error)}`, { isRefusal: true })
  }
}

/** The operator sees in which environment, and under which name, the action takes place. */
function whereAndWho({ environment, userName }: SessionResponse): string {
  return `${environment === 'production' ? 'Production' : 'UAT'}, as ${userName}`
}

function pointOf(point: ComponentChildren) {
  const isBad = point === irreversible
  return (
    <li class={isBad ? 'is-bad' : ''}>
      <Icon name={isBad ? 'alert' : 'dot'} kind="g" />
      <span>{isBad ? <b>{point}</b> : point}</span>
    </li>
  )
}
