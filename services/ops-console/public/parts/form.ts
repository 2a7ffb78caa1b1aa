import type { ActionReason } from '@despatch/domain/operator-action/operator-action'
import { type ComponentChildren, h, type JSX } from 'preact'
import { useId } from 'preact/hooks'

/** The fields of a form by name. */
export type Given = Readonly<Record<string, string>>

type Input = Readonly<Record<string, string | number | boolean | undefined>>
type Labelled = { label: string; hint?: string | undefined; control: (ids: Input) => JSX.Element }

function Labelled({ label, hint, control }: Labelled): JSX.Element {
  const id = useId()
  return h(
    'div',
    { class: 'field' },
    h('label', { for: id }, label),
    control({ id, ...(hint && { 'aria-describedby': `${id}-hint` }) }),
    hint && h('small', { id: `${id}-hint` }, hint),
  )
}

/** Returns a labelled text field. What the operator has typed outlasts a new rendering of its form. */
export function input(
  name: string,
  label: string,
  { value, ...more }: Input = {},
  hint?: string,
): JSX.Element {
  const control = (ids: Input) =>
    h('input', { autoComplete: 'off', name, defaultValue: value, ...more, ...ids })
  return h(Labelled, { label, hint, control })
}

/** Returns a labelled selection of one of the options, in which `all` stands for no choice. */
export function choice(
  name: string,
  label: string,
  options: readonly (string | readonly [value: string, text: string])[],
  { all, value = '', ...more }: Input & { all?: string } = {},
): JSX.Element {
  const control = (ids: Input) =>
    h(
      'select',
      { name, ...more, ...ids },
      all !== undefined && h('option', { value: '' }, all),
      options.map((option) => {
        const [key, text] = typeof option === 'string' ? [option, option] : option
        return h('option', { value: key, selected: key === value }, text)
      }),
    )
  return h(Labelled, { label, control })
}

/** Returns a labelled checkbox, whose value is `true`. */
export function check(name: string, label: ComponentChildren, more: Input = {}): JSX.Element {
  return h(
    'label',
    { class: 'tick' },
    h('input', { type: 'checkbox', name, value: 'true', ...more }),
    h('span', {}, label),
  )
}

/** Returns the field for a reason that must be given. */
export function reasonField({ member, question, shown }: ActionReason): JSX.Element {
  const hint = `Shown ${shown}. No personal information`
  return input(member, question, { required: true, maxLength: 200 }, hint)
}

/** Returns the fields of a submitted form. */
export function fieldsOf(form: HTMLFormElement): Given {
  return Object.fromEntries(
    [...new FormData(form)].map(([name, value]) => [name, String(value).trim()]),
  )
}

/** Returns the label of a field of the form, or its name if it has none. */
export function labelOf(form: HTMLFormElement, name: string): string {
  const field = form.elements.namedItem(name)
  const isLabelled = field instanceof HTMLInputElement || field instanceof HTMLSelectElement
  return (isLabelled && field.labels?.[0]?.textContent) || name
}

/** Returns the ids in the text of a field, each once. */
export function idsIn(text = ''): string[] {
  return [...new Set(text.split(/[\s,]+/).filter(Boolean))]
}
