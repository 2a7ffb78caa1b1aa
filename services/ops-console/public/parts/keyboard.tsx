import { Check } from './form.tsx'
import { announce } from './notice.ts'
import { askFirst, question } from './question.tsx'
import { Table } from './table.tsx'

const savedName = 'despatch-single-keys'
const keys = [
  [['/'], 'Search. Ctrl and K does the same, also while single keys are off'],
  [['J'], 'The next row of a table, or the next letter of the list that was shown last'],
  [['K'], 'The one before'],
  [['Enter'], 'Open the row'],
  [['X'], 'Select the row, or no longer'],
  [['?'], 'This list'],
] as const

/** Whether single keys act. A person who speaks to the computer can switch them off (WCAG 2.2, 2.1.4). */
export function doSingleKeysAct(): boolean {
  return localStorage.getItem(savedName) !== 'off'
}

/** Returns true if the key goes into a field. */
export function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches('input:not([type=checkbox]), textarea')
}

/** Lets single keys act on every page. A link of the page with `rel` next or prev comes before the rows of tables. */
export function listenForKeys(): void {
  document.addEventListener('keydown', (event) => {
    const act = actionOf(event)
    if (!act) return
    event.preventDefault()
    act()
  })
}

export function KeysButton() {
  return (
    <button type="button" class="linkish" onClick={showKeys}>
      Keys
    </button>
  )
}

function actionOf(event: KeyboardEvent): (() => void) | undefined {
  const { key, target, ctrlKey, metaKey, altKey } = event
  if (ctrlKey || metaKey || altKey || question.value) return undefined
  // a letter chooses an option of a selection
  if (isTyping(target) || target instanceof HTMLSelectElement) return undefined
  if (!doSingleKeysAct()) return undefined
  const actions: Partial<Record<string, () => void>> = {
    j: () => go('next'),
    k: () => go('prev'),
    x: selectRow,
    '?': showKeys,
  }
  return actions[key.toLowerCase()]
}

function go(way: 'next' | 'prev'): void {
  const neighbour = document.querySelector<HTMLAnchorElement>(`main a[rel=${way}]`)
  if (neighbour) neighbour.click()
  else moveToRow(way === 'next' ? 1 : -1)
}

/** Focuses the link that names the next row. Stays at the first and at the last. */
function moveToRow(step: 1 | -1): void {
  const links = [...document.querySelectorAll<HTMLAnchorElement>('main tbody th[scope=row] a')]
  const row = currentRow()
  const at = links.findIndex((link) => link.closest('tr') === row)
  links[at < 0 ? 0 : at + step]?.focus()
}

function selectRow(): void {
  currentRow()?.querySelector<HTMLInputElement>('input[type=checkbox]')?.click()
}

function currentRow(): Element | null {
  return document.activeElement?.closest('main tbody tr') ?? null
}

function showKeys(): void {
  askFirst({
    title: 'Keys',
    button: 'Save',
    details: (
      <Table
        caption="Keys"
        columns={['Key', 'What it does']}
        rows={keys.map(([pressed, does]) => [
          pressed.map((key) => <kbd>{key}</kbd>),
          <span class="prose">{does}</span>,
        ])}
      />
    ),
    fields: [<Check name="single" label="Single keys act" defaultChecked={doSingleKeysAct()} />],
    onSend: async ({ single }) => {
      if (single) localStorage.removeItem(savedName)
      else localStorage.setItem(savedName, 'off')
      announce(single ? 'Single keys act.' : 'Single keys do nothing.')
      return undefined
    },
  })
}
