/** What the demo shop sells, and the shapes of a visit and an order. */

export interface Product {
  readonly id: string
  readonly name: string
  readonly about: string
  /** Cents. */
  readonly price: number
}
export interface Item {
  readonly product: Product
  readonly quantity: number
}
export interface Address {
  readonly name: string
  readonly street: string
  readonly city: string
  readonly postcode: string
  readonly country: string
}
export interface Order {
  readonly number: string
  readonly email: string
  readonly items: readonly { readonly name: string; readonly quantity: number; readonly price: number }[]
  readonly address: Address
  /** The last four digits; the rest never reached the shop. */
  readonly card: string
  /** Cents. */
  readonly total: number
}
/** What a page shows of its visitor. */
export interface Visit {
  readonly email?: string
  readonly items: readonly Item[]
}

export const products: readonly Product[] = [
  { id: 'lamp', name: 'Lamp', about: 'Warm light for long evenings', price: 4900 },
  { id: 'mug', name: 'Mug', about: 'Stoneware, holds 350 ml', price: 1800 },
  { id: 'notebook', name: 'Notebook', about: '192 dotted pages', price: 1400 },
  { id: 'plant', name: 'Plant', about: 'Forgives a missed watering', price: 2600 },
  { id: 'clock', name: 'Clock', about: 'Silent, no ticking', price: 3500 },
  { id: 'chair', name: 'Chair', about: 'Solid oak, made to last', price: 12900 },
]
export const countries: readonly string[] = ['China', 'France', 'Germany', 'Japan', 'Switzerland', 'United Kingdom', 'United States']
