// Selects and file inputs: choosing options, and what may be given.

/** Chooses options by label first, then by value (Selection in walker.ts); `isTrial` only says whether it could. */
function selectOptions(number, wanted, isTrial) {
  const element = fieldOf(number)
  if (!element) return { gone: true }
  const about = describeElement(element)
  if (element.localName !== 'select') return { ...about, notSelect: true }
  if (isDisabled(element)) return { ...about, disabledField: true }
  if (wanted.length !== 1 && !element.multiple) return { ...about, single: true }
  const options = [...element.options]
  const labels = (list) => list.map((option) => squash(option.label))
  const chosen = []
  for (const want of wanted) {
    let matches = options.filter((option) => squash(option.label) === squash(want))
    if (matches.length === 0) matches = options.filter((option) => option.value === want)
    if (matches.length === 0) return { ...about, missing: want, options: labels(options.slice(0, 50)), count: options.length }
    if (matches.length > 1) return { ...about, ambiguous: want, count: matches.length, options: matches.slice(0, 10).map((option) => option.value) }
    if (matches[0].disabled || matches[0].closest('optgroup[disabled]')) return { ...about, disabled: want }
    chosen.push(matches[0])
  }
  const changes = options.some((option) => option.selected !== chosen.includes(option))
  if (changes && !isTrial) {
    noteInput()
    element.focus()
    // A single choice is replaced at once; unselecting first would choose the first option in between.
    for (const option of chosen) option.selected = true
    if (element.multiple) for (const option of options) if (option.selected && !chosen.includes(option)) option.selected = false
    element.dispatchEvent(new Event('input', { bubbles: true, composed: true }))
    element.dispatchEvent(new Event('change', { bubbles: true }))
  }
  return { ...about, selected: labels([...element.selectedOptions]), asked: labels(options.filter((option) => chosen.includes(option))), changes }
}

/** Labels chosen now in a select; null when gone. */
function selectedOptions(number) {
  const element = fieldOf(number)
  return element && [...element.selectedOptions].map((option) => squash(option.label))
}

/** The closed select an option is in, and how to name the option there. */
function optionOf(number) {
  const option = elementOf(number)
  const select = option?.localName === 'option' ? option.closest('select') : null
  if (!select || select.multiple || select.size > 1) return null
  const label = squash(option.label)
  const isUnique = [...select.options].filter((each) => squash(each.label) === label).length === 1
  return { select: numberOf(select), option: isUnique ? label : option.value }
}

/** About a file input (FileInput in walker.ts); other elements say that they are none. */
function fileInput(number) {
  const element = fieldOf(number)
  if (!element) return null
  const isFileInput = element.localName === 'input' && element.type === 'file'
  return {
    isFileInput,
    input: isFileInput ? numberOf(element) : 0,
    multiple: isFileInput && element.multiple,
    folder: isFileInput && element.webkitdirectory,
    disabled: isDisabled(element),
    ...describeElement(element),
  }
}
