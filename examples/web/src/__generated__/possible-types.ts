
      export type PossibleTypesResultData = {
  "possibleTypes": {
    "Instance": [
      "Employee",
      "Expense",
      "GenericInstance",
      "PurchaseRequest",
      "Supplier"
    ],
    "Node": [
      "Employee",
      "Expense",
      "Form",
      "GenericInstance",
      "PurchaseRequest",
      "Supplier"
    ]
  }
};
      const result: PossibleTypesResultData = {
  "possibleTypes": {
    "Instance": [
      "Employee",
      "Expense",
      "GenericInstance",
      "PurchaseRequest",
      "Supplier"
    ],
    "Node": [
      "Employee",
      "Expense",
      "Form",
      "GenericInstance",
      "PurchaseRequest",
      "Supplier"
    ]
  }
};
      export default result;
    