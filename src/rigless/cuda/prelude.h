// What every translated program begins with. numba's rules for min, max, % and // are Python's.
#ifdef __CUDACC_RTC__
#define FUNCTION static __device__ inline
#define TABLE static __device__ const
#define INFINITY_ __longlong_as_double(0x7ff0000000000000LL)
#define NAN_ __longlong_as_double(0x7ff8000000000000LL)
#else
#include <cmath>
#include <cstdlib>
using std::ceil; using std::copysign; using std::fabs; using std::floor; using std::fmod;
using std::frexp; using std::ldexp; using std::rint; using std::sqrt;
#define FUNCTION static inline
#define TABLE static const
#define INFINITY_ HUGE_VAL
#define NAN_ std::nan("")
#endif
typedef long long i64;
typedef int i32;
typedef unsigned char u8;
typedef unsigned int u32;
typedef unsigned long long u64;

template <class T, int N> struct Array {
  T* p;
  i64 n[N];
};
template <class T> FUNCTION T& at(const Array<T, 1>& a, i64 i) { return a.p[i]; }
template <class T> FUNCTION T& at(const Array<T, 2>& a, i64 i, i64 j) { return a.p[i * a.n[1] + j]; }
template <class T> FUNCTION T& at(const Array<T, 3>& a, i64 i, i64 j, i64 k) {
  return a.p[(i * a.n[1] + j) * a.n[2] + k];
}
template <class T> FUNCTION T& at(const Array<T, 5>& a, i64 i, i64 j, i64 k, i64 l, i64 m) {
  // Inside a plane 32 bits are enough for maps of 65,000 × 65,000 cells, and quicker.
  u32 inside = (((u32)j * (u32)a.n[2] + (u32)k) * (u32)a.n[3] + (u32)l) * (u32)a.n[4] + (u32)m;
  return a.p[i * (a.n[1] * a.n[2] * a.n[3] * a.n[4]) + inside];
}
#ifdef __CUDACC_RTC__
// Maps are only read: by the path for data that no thread writes.
FUNCTION u8 at(const Array<u8, 5>& a, i64 i, i64 j, i64 k, i64 l, i64 m) {
  return __ldg(&at<u8>(a, i, j, k, l, m));
}
#endif
template <class T> FUNCTION Array<T, 1> row(const Array<T, 2>& a, i64 i) {
  return {a.p + i * a.n[1], {a.n[1]}};
}
template <class T> FUNCTION Array<T, 2> row(const Array<T, 3>& a, i64 i) {
  return {a.p + i * a.n[1] * a.n[2], {a.n[1], a.n[2]}};
}
template <class T> FUNCTION Array<T, 1> row(const Array<T, 3>& a, i64 i, i64 j) {
  return {a.p + (i * a.n[1] + j) * a.n[2], {a.n[2]}};
}
template <class T> FUNCTION Array<T, 1> slice(const Array<T, 1>& a, i64 first, i64 last) {
  return {a.p + first, {last - first}};
}
template <class T> FUNCTION T smaller(T a, T b) { return b < a ? b : a; }
template <class T> FUNCTION T larger(T a, T b) { return b > a ? b : a; }
template <class T> FUNCTION T squared(T a) { return a * a; }
FUNCTION i64 magnitude(i64 a) { return a < 0 ? -a : a; }
FUNCTION double magnitude(double a) { return fabs(a); }
FUNCTION i64 floored(i64 a, i64 b) {
  i64 q = a / b;
  return q - ((a % b != 0) && ((a < 0) != (b < 0)));
}
FUNCTION i64 modulo(i64 a, i64 b) {
  i64 r = a % b;
  return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}
FUNCTION double modulo(double a, double b) {
  double r = fmod(a, b);
  if (r == 0.0) return copysign(0.0, b);
  return (b < 0.0) != (r < 0.0) ? r + b : r;
}
