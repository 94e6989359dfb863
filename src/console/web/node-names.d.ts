// Functions of the contract that never come to a browser speak of it; their types are read along with the records.
declare class Buffer extends Uint8Array {
  static from(text: string): Buffer
}
