// The generated rows: a text for every cell, computed from its position, and the columns.
export const ROWS = 1_000_000

const GIVEN = ['Ana', 'Ben', 'Chloé', 'Dmitri', 'Elif', 'Femi', 'Grace', 'Håkon', 'Ines', 'Jürgen']
const FAMILY = ['Adeyemi', 'Brandt', 'Costa', 'Dvořák', 'Eriksen', 'Fischer', 'García', 'Haddad', 'Ivanova']
const CITIES = ['Bristol', 'Köln', 'Lagos', 'Kraków', 'Valencia', '', 'Tromsø', 'Izmir']

export const COLUMNS = [
  { id: 'phone_number', title: 'Phone number', width: 150 },
  { id: 'title', title: 'Title', width: 90 },
  { id: 'first_name', title: 'First name', width: 130 },
  { id: 'last_name', title: 'Last name', width: 130 },
  { id: 'email', title: 'E-mail', width: 220 },
  { id: 'city', title: 'City', width: 120 },
  ...Array.from({ length: 16 }, (_, at) => ({ id: `field_${at + 1}`, title: `Field ${at + 1}`, width: 140 })),
  { id: 'amount', title: 'Amount', width: 110, align: 'end' as const },
  { id: 'created_at', title: 'Created', width: 120, isReadOnly: true },
]

const pick = (from: readonly string[], by: number): string => from[by % from.length] ?? ''

export function textOf(row: number, column: string): string {
  switch (column) {
    case 'phone_number':
      return `+447700900${String(row % 1_000).padStart(3, '0')}`
    case 'title':
      return row % 7 === 0 ? '' : row % 2 === 0 ? 'Ms' : 'Mr'
    case 'first_name':
      return pick(GIVEN, row * 7 + 3)
    case 'last_name':
      return pick(FAMILY, row * 5 + 1)
    case 'email':
      return `contact.${row + 1}@example.com`
    case 'city':
      return pick(CITIES, row * 3)
    case 'amount':
      return String((row * 7919) % 100_000)
    case 'created_at':
      return `2026-0${1 + (row % 9)}-${String(1 + (row % 28)).padStart(2, '0')}`
    default:
      return `${column.slice(6)}-${row + 1}`
  }
}
