import type { ActionReason } from '@despatch/domain/operator-action/operator-action'
import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'

/** The fields of a form by name. */
export type Given = Readonly<Record<string, string>>

type Attributes = Readonly<Record<string, string | number | boolean | undefined>>
type FieldProps = { name: string; label: string }
type InputProps = Attributes &
  FieldProps & { hint?: string | undefined; value?: string | number | undefined }

/** A labelled text field. What the operator has typed outlasts a new rendering of its form. */
export function Input({ name, label, hint, value, ...more }: InputProps) {
  const id = useId()
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        autoComplete="off"
        name={name}
        defaultValue={value}
        {...more}
        id={id}
        aria-describedby={hint && `${id}-hint`}
      />
      {hint && <small id={`${id}-hint`}>{hint}</small>}
    </div>
  )
}

type ChoiceProps = FieldProps & {
  options: readonly (string | readonly [value: string, text: string])[]
  /** The text of the option that stands for no choice. */
  all?: string
  value?: string | undefined
  class?: string
  onChange?: (value: string) => void
}

/** A labelled selection of one of the options. */
export function Choice({ name, label, options, all, value = '', onChange, ...more }: ChoiceProps) {
  const id = useId()
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select
        name={name}
        {...more}
        id={id}
        onChange={onChange && ((event) => onChange(event.currentTarget.value))}
      >
        {all !== undefined && (
          <option value="" selected={value === ''}>
            {all}
          </option>
        )}
        {options.map((option) => {
          const [key, text] = typeof option === 'string' ? [option, option] : option
          return (
            <option value={key} selected={key === value}>
              {text}
            </option>
          )
        })}
      </select>
    </div>
  )
}

type CheckProps = {
  name: string
  label: ComponentChildren
  defaultChecked?: boolean
  required?: boolean
}

/** A labelled checkbox, whose value is `true`. */
export function Check({ name, label, ...more }: CheckProps) {
  return (
    <label class="tick">
      <input type="checkbox" name={name} value="true" {...more} />
      <span>{label}</span>
    </label>
  )
}

/** The field for a reason that must be given. */
export function ReasonField({ reason }: { reason: ActionReason }) {
  const { member, question, shown } = reason
  const hint = `Shown ${shown}. No personal information`
  return <Input name={member} label={question} hint={hint} required maxLength={200} />
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
