// Server-only functions of the contract use Buffer. Their types are checked along with the imported records.
declare class Buffer extends Uint8Array {
  static from(text: string): Buffer
}
